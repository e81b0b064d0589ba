import { readFileSync } from 'node:fs';
import { type ExploreOptions, explore } from '@conclave/check';
import { start } from '@conclave/core/internal';
import { atMost, type LocalState, overtaken, type Protocol, send } from '@conclave/core/protocol';
import { closedLoop, poisson, simulate } from '@conclave/core/simulation';
import { chain, complete, grid, star, topology } from '@conclave/core/topology';
import { replay } from '@conclave/core/trace';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { assertEvent, assign, emit } from 'xstate';
import { costOf, expectBounds } from '../../contract/cost.contract.js';
import { exploreCrashes } from '../../contract/findings.contract.js';
import {
  mutantOf,
  ofWholes,
  takeAll,
  withMachine,
  withoutSteps,
} from '../../contract/machines.contract.js';
import { failingOverReliable } from '../../contract/sweep.contract.js';
import {
  entry,
  everyMessageHandled,
  ignoringUnexpected,
  outcomeOf,
  quiescence,
} from '../../mutual-exclusion/outcome.contract.js';
import { fencedAlongEdges, localExclusionContract } from '../local-exclusion.contract.js';
import { type Command, type Event, machine } from './appointments.js';
import { appointments } from './protocol.js';

const together = (...ids: readonly string[]): Command => ({ type: 'acquire', with: ids });
const withAll: Command = { type: 'acquire', with: 'neighbours' };
const square = topology('edges:a-b,b-c,c-d,a-d');
const mutant = mutantOf(withoutSteps(appointments));

localExclusionContract({
  protocol: appointments,
  topologies: [chain(2), complete(3), chain(3)],
  entries: 2,
  small: [
    { topology: chain(2), budget: { commands: 2 } },
    { topology: complete(3), budget: { inputs: [together('c')], initiators: ['a', 'b'] } },
  ],
  explored: [
    [chain(2), { commands: 3 }, 2_209],
    [
      '3 nodes, each with all neighbours, 2 entries each',
      [chain(3), complete(3)],
      { commands: 2, inputs: [withAll] },
      11_929,
    ],
    [
      complete(3),
      { inputs: [together(), together('a'), together('b'), together('c')], initiators: ['a', 'b'] },
      102_856,
    ],
    [complete(3), { inputs: [together('a'), together('b')] }, 13_147],
    [
      'the star, the ring and the clique of 4, an entry each',
      [star(4), square, complete(4)],
      {},
      40_418,
    ],
  ],
  // Both end nodes ask the same one, each for itself; in a chain of four, the end nodes do not.
  apart: { topology: chain(4), budget: { inputs: [withAll, together()], initiators: ['a', 'd'] } },
  whole: { inputs: [withAll] },
  costs: [chain(3), complete(5), star(6)],
  mutants: {
    'a calendar is granted twice': mutant(
      'chain:2, 3 steps: each calendar is in one place: with its node, with one organiser, or on its way',
      machine.provide({
        actions: {
          enqueue: emit(({ context, event }) => {
            assertEvent(event, 'request');
            return send(event.from, { type: 'granted', entries: context.entries });
          }),
        },
      }),
    ),
  },
});

describe('appointments rules', () => {
  const first: LocalState = start(machine, 'm', { self: 'm', neighbours: ['a', 'x', 'z'] }).state;
  const after = (state: LocalState, ...events: Event[]) => takeAll(machine, 'm', state, events);
  const release: Event = { type: 'release' };
  const request = (from: string): Event => ({ type: 'request', from });
  const granted = (from: string, entries = 0): Event => ({ type: 'granted', from, entries });
  const returned = (from: string, entries: number): Event => ({ type: 'returned', from, entries });
  const asked = (to: string) => send(to, { type: 'request' });

  it('[AP1] an organiser asks the first participant in the order of ids, which may be itself', () => {
    const { state, effects } = after(first, together('x', 'a'));
    expect(effects).toEqual([asked('a')]);
    expect(state).toMatchObject({
      value: { organiser: 'wanted', calendar: 'free' },
      context: { missing: ['a', 'm', 'x'] },
    });
    const own = after(first, together('x'));
    expect(own.effects).toEqual([asked('x')]);
    expect(own.state).toMatchObject({
      value: { organiser: 'wanted', calendar: 'taken' },
      context: { holder: 'm', missing: ['x'] },
    });
    expect(after(first, withAll).state.context.missing).toEqual(['a', 'm', 'x', 'z']);
  });

  it('[AP2] a free calendar is granted at once, with the largest number in it; another request waits', () => {
    const taken = after(first, request('x'), returned('x', 4), request('z'));
    expect(taken.effects).toEqual([send('z', { type: 'granted', entries: 4 })]);
    const second = after(taken.state, request('x'));
    expect(second.effects).toEqual([]);
    expect(second.state.context).toMatchObject({ holder: 'z', queue: ['x'] });
  });

  it('[AP3] an organiser that gets a calendar asks for the next one', () => {
    const { state, effects } = after(first, withAll, granted('a'));
    expect(effects).toEqual([asked('x')]);
    expect(state).toMatchObject({
      value: { organiser: 'wanted', calendar: 'taken' },
      context: { missing: ['x', 'z'] },
    });
  });

  it('[AP4] an organiser that has all calendars holds the appointment; its number is larger than all in the calendars', () => {
    const { state, effects } = after(first, together('a', 'x'), granted('a', 7), granted('x', 3));
    expect(effects).toEqual([]);
    expect(state).toMatchObject({
      value: { organiser: 'held' },
      context: { fence: 8, missing: [] },
    });
    expect(after(first, together()).state.value).toEqual({ organiser: 'held', calendar: 'taken' });
  });

  it('[AP5] an organiser that leaves returns all calendars', () => {
    const { state, effects } = after(
      first,
      together('a', 'x'),
      granted('a', 7),
      granted('x', 3),
      release,
    );
    expect(effects).toEqual(['a', 'x'].map((id) => send(id, { type: 'returned', entries: 8 })));
    expect(state).toMatchObject({
      value: { organiser: 'released', calendar: 'free' },
      context: { participants: [], entries: 8 },
    });
  });

  it('[AP6] a calendar that is returned goes to the organiser that has waited longest', () => {
    const { state, effects } = after(
      first,
      request('x'),
      request('z'),
      request('a'),
      returned('x', 5),
    );
    expect(effects).toEqual([send('z', { type: 'granted', entries: 5 })]);
    expect(state).toMatchObject({
      value: { calendar: 'taken' },
      context: { holder: 'z', queue: ['a'] },
    });
    expect(after(state, returned('z', 6), returned('a', 7)).state).toMatchObject({
      value: { calendar: 'free' },
      context: { holder: null },
    });
  });
});

const page = readFileSync(new URL('./README.md', import.meta.url), 'utf8');
const exclusion = 'no two appointments that share a participant are held at once';
/** Faults break the place of a calendar first. */
const lockOnly: Protocol = {
  ...appointments,
  properties: ofWholes(appointments.properties).filter(
    ({ name }) => !/^(each calendar|an appointment)/.test(name),
  ),
};
const allHold = {
  [exclusion]: 'holds',
  [entry]: 'holds',
  [everyMessageHandled]: 'holds',
  [quiescence]: 'holds',
};
const twoEnds: ExploreOptions = { inputs: [withAll], initiators: ['a', 'c'] };

describe('appointments assumptions', () => {
  it('an order that is not the same for all organisers deadlocks: each takes its own calendar first', () => {
    const ownFirst = machine.provide({
      actions: {
        plan: assign(({ context: { self, neighbours }, event }) => {
          assertEvent(event, 'acquire');
          const participants = [self, ...(event.with === 'neighbours' ? neighbours : event.with)];
          return { participants, missing: participants, fence: 0 };
        }),
      },
    });
    const { verdicts, traces } = outcomeOf(withMachine(lockOnly, ownFirst), chain(2));
    expect(verdicts).toMatchObject({
      ...allHold,
      [entry]: 'violated in 4',
      [quiescence]: 'violated in 4',
    });
    expect(page).toContain(traces[quiescence]);
  });

  proof.each([
    [
      'a lost message breaks liveness, not safety',
      { losses: 1 },
      { [entry]: 'violated in 2', [quiescence]: 'violated in 5' },
    ],
    [
      'a crash breaks liveness, not safety',
      { crashes: 1 },
      { [entry]: 'violated in 2', [quiescence]: 'violated in 6' },
    ],
    [
      'a duplicated message breaks both',
      { duplications: 1, commands: 2 },
      { [exclusion]: 'violated in 11', [entry]: 'violated in 10', [quiescence]: 'violated in 12' },
    ],
    [
      'a participant that restarts has a free calendar',
      { crashes: 1, restarts: 1 },
      { [exclusion]: 'violated in 8', [entry]: 'violated in 2', [quiescence]: 'violated in 7' },
    ],
  ] satisfies [string, ExploreOptions, object][])('%s', (_what, fault, broken) => {
    const { verdicts, traces } = outcomeOf(ignoringUnexpected(lockOnly), chain(3), {
      ...twoEnds,
      ...fault,
    });
    expect(verdicts).toMatchObject({ ...allHold, ...broken });
    if (exclusion in broken) expect(page).toContain(traces[exclusion]);
  });

  proof('a crash may stop nodes at any distance: each waits for the next one', () => {
    const { complete, steps } = exploreCrashes(lockOnly, chain(4), {
      mayCrash: ({ id }) => id === 'd',
    });
    expect(complete).toBe(true);
    expect(['a', 'b', 'c'].map((id) => steps[`${id}: ${entry}`])).toEqual([6, 5, 4]);
  });

  proof('a reliable link compensates loss, duplication and reordering', () => {
    expect(failingOverReliable(appointments, grid(2, 3), 10)).toEqual([]);
  });

  it('a participant must be a neighbour', () => {
    const tooFar: Command = { type: 'acquire', with: ['c'] };
    const found = explore(appointments, chain(3), { inputs: [tooFar], initiators: ['a'] });
    const [broken] = found.properties.filter(({ verdict }) => verdict === 'violated');
    expect(broken?.trace?.header.get('fault')).toMatch(
      /^Node a sends 'request' to c, to which it has no channel/,
    );
  });
});

describe('appointments fencing', () => {
  proof('of two neighbours that invite each other the later entry has the larger token', () => {
    expect(fencedAlongEdges(appointments, chain(3), { commands: 2, inputs: [withAll] })).toEqual([
      'holds',
      'holds',
    ]);
    expect(fencedAlongEdges(appointments, complete(3), { inputs: [withAll] })).toEqual([
      'holds',
      'holds',
      'holds',
    ]);
  });
});

describe('appointments overtaking', () => {
  const verdicts = (
    topology: ReturnType<typeof chain>,
    budget: ExploreOptions,
    ...times: readonly number[]
  ) => {
    const found = explore(appointments, topology, {
      ...budget,
      properties: times.map((most) => overtaken(most)),
    });
    return found.properties.slice(0, times.length).map(({ verdict }) => verdict);
  };

  proof.each([2, 3, 4])(
    'another organiser enters without bound while the request is in transit: %i entries',
    (commands) => {
      expect(verdicts(chain(2), { commands, order: 'any' }, commands - 1, commands)).toEqual([
        'violated',
        'holds',
      ]);
    },
  );

  proof(
    'between two nodes over FIFO channels it enters at most twice if it invites the other one, but alone without bound',
    () => {
      for (const commands of [2, 3, 4]) {
        const together = { commands, order: 'fifo', inputs: [withAll] } as const;
        expect(verdicts(chain(2), together, 1, 2)).toEqual(['violated', 'holds']);
        expect(verdicts(chain(2), { commands, order: 'fifo' }, commands - 1, commands)).toEqual([
          'violated',
          'holds',
        ]);
      }
    },
  );
});

describe('appointments cost', () => {
  it.each([
    [chain(2), 1, 2, 4],
    [complete(3), 2, 1, 6],
  ] as const)(
    '[AP1] [AP2] [AP5] is at most 3(k−1) messages per appointment, and no less, in every interleaving: %o',
    (topology, others, commands, steps) => {
      const bounds = [
        atMost(3 * others, { per: 'acquire' }),
        ...['request', 'granted', 'returned'].map((type) =>
          atMost(others, { per: 'acquire', of: [type] }),
        ),
      ];
      const tighter = [atMost(3 * others - 1, { per: 'acquire' })];
      const found = expectBounds(appointments, topology, { commands }, bounds, tighter);
      expect(costOf(appointments, topology.nodes.length, topology)).toEqual(bounds[0]);
      const { trace } = found.properties[4] ?? {};
      expect(trace?.lines).toHaveLength(steps);
      expect(trace && replay(appointments, topology, trace)).toEqual({ steps });
    },
  );

  proof('is exactly 3(k−1) for k participants, under light and heavy load', () => {
    const n = 8;
    const { nodes } = complete(n);
    for (let invited = 0; invited <= n; invited++) {
      const inputs = [{ type: 'acquire', with: nodes.slice(0, invited) }];
      // The organiser takes part, invited or not.
      const others = nodes.reduce(
        (sum, _, place) => sum + (place < invited ? invited - 1 : invited),
        0,
      );
      for (const workload of [
        closedLoop({ entries: 3, think: { kind: 'fixed', ms: 0 }, inputs }),
        poisson({ mean: 10_000, entries: 3, inputs }),
      ]) {
        const { messages, exclusion } = simulate({
          protocol: appointments,
          topology: complete(n),
          workload,
        });
        expect(exclusion.entries).toHaveLength(3 * n);
        for (const type of ['request', 'granted', 'returned'])
          expect(messages[type] ?? 0).toBe(3 * others);
      }
    }
  });

  it('does not depend on the size of the network: two participants cost 3 messages', () => {
    for (const n of [3, 10, 30]) {
      const inputs = [{ type: 'acquire', with: star(n).nodes.slice(0, 1) }];
      const workload = closedLoop({ entries: 2, inputs, nodes: star(n).nodes.slice(1) });
      const { messages } = simulate({
        protocol: appointments,
        topology: star(n),
        workload,
        properties: [],
      });
      expect(messages).toEqual({
        granted: 2 * (n - 1),
        request: 2 * (n - 1),
        returned: 2 * (n - 1),
      });
    }
  });
});
