import { readFileSync } from 'node:fs';
import { type ExploreOptions, explore } from '@conclave/check';
import { start, step } from '@conclave/core/internal';
import {
  atMost,
  type LocalState,
  type NodeId,
  overtaken,
  type Protocol,
  send,
} from '@conclave/core/protocol';
import { closedLoop, poisson, simulate, totalMessages } from '@conclave/core/simulation';
import {
  chain,
  complete,
  grid,
  ring,
  star,
  type Topology,
  topology,
} from '@conclave/core/topology';
import { replay } from '@conclave/core/trace';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { assertEvent } from 'xstate';
import { allGraphs } from '../../checks/networks.js';
import { costOf, expectBounds } from '../../contract/cost.contract.js';
import { exploreCrashes, failing } from '../../contract/findings.contract.js';
import { mutantOf, ofWholes, takeAll, withoutSteps } from '../../contract/machines.contract.js';
import { randomGraph } from '../../contract/networks.contract.js';
import { failingOverReliable } from '../../contract/sweep.contract.js';
import {
  entry,
  everyMessageHandled,
  ignoringUnexpected,
  outcomeOf,
  quiescence,
} from '../../mutual-exclusion/outcome.contract.js';
import { fencedAlongEdges, localExclusionContract } from '../local-exclusion.contract.js';
import { type Event, machine } from './dining-philosophers.js';
import { diningPhilosophers } from './protocol.js';

const square = topology('edges:a-b,b-c,c-d,a-d');
const pentagon = topology('edges:a-b,b-c,c-d,d-e,a-e');
const mutant = mutantOf(withoutSteps(diningPhilosophers));

localExclusionContract({
  protocol: diningPhilosophers,
  topologies: [chain(2), complete(3), chain(3)],
  entries: 2,
  small: [
    { topology: chain(2), budget: { commands: 2 } },
    { topology: chain(3), budget: {} },
  ],
  explored: [
    [chain(2), { commands: 3 }, 241],
    ['all labelled graphs of 3 nodes, 2 entries each', allGraphs(3), { commands: 2 }, 11_564],
    // `npm run verify` explores all labelled graphs of 4 nodes.
    [star(4), {}, 1_383],
    [square, {}, 3_769],
    [pentagon, {}, 29_199],
  ],
  apart: { topology: chain(3), budget: {} },
  costs: [chain(2), complete(5), star(6), pentagon],
  mutants: {
    'a hungry node gives clean forks, too': mutant(
      'edges:a,b,c,a-b,a-c,b-c, 5 steps: precedence has no cycle',
      machine.provide({
        guards: {
          forkIsDirty: ({ context, event }) => {
            assertEvent(event, 'request');
            return context.forks.includes(event.from);
          },
        },
      }),
    ),
  },
});

describe('dining-philosophers rules', () => {
  const first = (...forks: string[]): LocalState =>
    start(machine, 'm', { neighbours: ['x', 'y'], forks }).state;
  const after = (state: LocalState, ...events: Event[]) => takeAll(machine, 'm', state, events);
  const acquire: Event = { type: 'acquire' };
  const release: Event = { type: 'release' };
  const request = (from: string): Event => ({ type: 'request', from });
  const fork = (from: string, entries = 0): Event => ({ type: 'fork', from, entries });
  const given = (to: string, entries = 0) => send(to, { type: 'fork', entries });

  it('[DP1] a node that becomes hungry requests each missing fork', () => {
    const { state, effects } = after(first('x'), acquire);
    expect(effects).toEqual([send('y', { type: 'request' })]);
    expect(state.value).toBe('hungry');
  });

  it('[DP2] a node that thinks gives the fork that is requested', () => {
    const { state, effects } = after(first('x', 'y'), request('y'));
    expect(effects).toEqual([given('y')]);
    expect(state).toMatchObject({ value: 'thinking', context: { forks: ['x'] } });
  });

  it('[DP3] a hungry node gives a dirty fork, and requests it back', () => {
    const { state, effects } = after(first('x'), acquire, request('x'));
    expect(effects).toEqual([given('x'), send('x', { type: 'request' })]);
    expect(state).toMatchObject({ value: 'hungry', context: { forks: [] } });
  });

  it('[DP4] a hungry node keeps a clean fork, and a node that eats each fork; a request may come before the fork', () => {
    const clean = after(first(), acquire, fork('x'), request('x'));
    expect(clean.effects).toEqual([]);
    expect(clean.state.context).toMatchObject({ forks: ['x'], requested: ['x'] });
    const early = after(first(), acquire, request('x'), fork('x'));
    expect(early.state).toEqual(clean.state);
    const eating = after(first('x', 'y'), acquire, request('y'), request('x'));
    expect(eating.effects).toEqual([]);
    expect(eating.state).toMatchObject({
      value: 'eating',
      context: { forks: ['x', 'y'], requested: ['x', 'y'] },
    });
  });

  it('[DP5] a node with all forks eats; its forks are dirty, and its number is larger than all that came with them', () => {
    const hungry = after(first(), acquire, fork('y', 7)).state;
    expect(hungry).toMatchObject({ value: 'hungry', context: { forks: ['y'], clean: ['y'] } });
    expect(after(hungry, fork('x', 3)).state).toMatchObject({
      value: 'eating',
      context: { forks: ['x', 'y'], clean: [], entries: 8 },
    });
  });

  it('[DP6] a node that has eaten gives the forks that were requested', () => {
    const { state, effects } = after(first('x', 'y'), acquire, request('y'), release);
    expect(effects).toEqual([given('y', 1)]);
    expect(state).toMatchObject({ value: 'thinking', context: { forks: ['x'], requested: [] } });
  });

  it('enters at once without neighbours', () => {
    const alone = start(machine, 'm', { neighbours: [], forks: [] }).state;
    expect(step(machine, 'm', alone, acquire).state.value).toBe('eating');
  });
});

describe('dining-philosophers fencing', () => {
  it('of two neighbours the later entry has the larger token', () => {
    expect(fencedAlongEdges(diningPhilosophers, chain(3), { commands: 2 })).toEqual([
      'holds',
      'holds',
    ]);
    expect(fencedAlongEdges(diningPhilosophers, square, {})).toEqual([
      'holds',
      'holds',
      'holds',
      'holds',
    ]);
  });

  it('holds on the usual five philosophers', () => {
    expect(failing(explore(diningPhilosophers, pentagon, { initiators: ['a', 'b', 'c'] }))).toEqual(
      [],
    );
  });
});

const page = readFileSync(new URL('./README.md', import.meta.url), 'utf8');
const exclusion = 'no two neighbours are in their critical sections at once';
const noCycle = 'precedence has no cycle';
/** Faults break the place of a fork first. */
const lockOnly: Protocol = {
  ...diningPhilosophers,
  properties: ofWholes(diningPhilosophers.properties).filter(
    ({ name }) => !name.startsWith('each fork') && name !== noCycle,
  ),
};
const allHold = {
  [exclusion]: 'holds',
  [entry]: 'holds',
  [everyMessageHandled]: 'holds',
  [quiescence]: 'holds',
};

describe('dining-philosophers assumptions', () => {
  it('a cycle in the initial precedence deadlocks, and breaks no exclusion', () => {
    const next: Readonly<Record<string, string>> = { a: 'b', b: 'c', c: 'a' };
    const { node } = diningPhilosophers.roles;
    if (!node) throw new Error('unreachable: it has one role');
    const input = (self: string, topology: Topology) => ({
      neighbours: topology.successors(self),
      forks: [next[self] ?? ''],
    });
    const cyclic: Protocol = { ...diningPhilosophers, roles: { node: { ...node, input } } };
    const { states, verdicts, traces } = outcomeOf(cyclic, complete(3));
    expect(states).toBe(462);
    expect(verdicts).toMatchObject({
      ...allHold,
      [noCycle]: 'violated in 0',
      [entry]: 'violated in 12',
      [quiescence]: 'violated in 12',
    });
    expect(page).toContain(traces[quiescence]);
  });

  it.each([
    [
      'a lost message breaks liveness, not safety',
      lockOnly,
      { losses: 1 },
      { [entry]: 'violated in 2', [quiescence]: 'violated in 4' },
    ],
    [
      'a crash breaks liveness, not safety',
      lockOnly,
      { crashes: 1 },
      { [entry]: 'violated in 2', [quiescence]: 'violated in 4' },
    ],
    [
      'a duplicated fork lets two neighbours enter, and a duplicated request may stop both',
      ignoringUnexpected(lockOnly),
      { commands: 2, duplications: 1 },
      { [exclusion]: 'violated in 10', [entry]: 'violated in 15', [quiescence]: 'violated in 15' },
    ],
    [
      'a node that restarts has its first forks again',
      ignoringUnexpected(lockOnly),
      { crashes: 1, restarts: 1 },
      { [exclusion]: 'violated in 6', [entry]: 'violated in 2', [quiescence]: 'violated in 7' },
    ],
  ] satisfies [string, Protocol, ExploreOptions, object][])(
    '%s',
    (_what, protocol, fault, broken) => {
      const { verdicts, traces } = outcomeOf(protocol, chain(2), fault);
      expect(verdicts).toMatchObject({ ...allHold, ...broken });
      if (exclusion in broken) expect(page).toContain(traces[exclusion]);
    },
  );

  proof('a lost message or a crash breaks no exclusion among three nodes either', () => {
    for (const fault of [{ losses: 1 }, { crashes: 1 }])
      for (const topology of [chain(3), complete(3)])
        expect(outcomeOf(lockOnly, topology, fault).verdicts).toMatchObject({
          [exclusion]: 'holds',
          [everyMessageHandled]: 'holds',
        });
  });

  it('a crash may stop nodes at any distance: each keeps a clean fork', () => {
    const { complete, steps } = exploreCrashes(lockOnly, chain(['d', 'c', 'b', 'a']), {
      mayCrash: ({ id }) => id === 'a',
    });
    expect(complete).toBe(true);
    expect(['a', 'b', 'c', 'd'].map((id) => steps[`${id}: ${entry}`])).toEqual([
      undefined,
      6,
      10,
      12,
    ]);
  });

  proof('a reliable link compensates loss, duplication and reordering', () => {
    expect(failingOverReliable(diningPhilosophers, grid(2, 3), 10)).toEqual([]);
  });
});

it.each([2, 3, 4])(
  'dining-philosophers overtaking a neighbour enters without bound while the request is in transit, over FIFO channels, too: %i entries',
  (commands) => {
    for (const order of ['fifo', 'any'] as const) {
      const bounds = [overtaken(commands - 1), overtaken(commands)];
      const found = explore(diningPhilosophers, chain(2), { commands, order, properties: bounds });
      expect(found.properties.slice(0, 2).map(({ verdict }) => verdict)).toEqual([
        'violated',
        'holds',
      ]);
    }
  },
);

describe('dining-philosophers cost', () => {
  it.each([
    [chain(2), 1, 2, 2],
    [complete(3), 2, 2, 3],
    [ring(4, { oneWay: false }), 2, 1, 3],
  ] as const)(
    '[DP1] [DP2] [DP6] is at most 2d messages per entry, and no less, in every interleaving: %o',
    (topology, d, commands, steps) => {
      const bounds = [
        atMost(2 * d, { per: 'acquire' }),
        atMost(d, { per: 'acquire', of: ['request'] }),
        atMost(d, { per: 'acquire', of: ['fork'] }),
      ];
      const tighter = [atMost(2 * d - 1, { per: 'acquire' })];
      const found = expectBounds(diningPhilosophers, topology, { commands }, bounds, tighter);
      expect(costOf(diningPhilosophers, topology.nodes.length, topology)).toEqual(bounds[0]);
      const { trace } = found.properties[3] ?? {};
      expect(trace?.lines).toHaveLength(steps);
      expect(trace && replay(diningPhilosophers, topology, trace)).toEqual({ steps });
    },
  );

  /**
   * A node that enters alone needs the forks of the neighbours that entered after it did, or at
   * first, of those that come before it.
   */
  function alone(topology: Topology, entries: readonly NodeId[]): number {
    const last = new Map(topology.nodes.map((id, place) => [id, -place]));
    let messages = 0;
    for (const [index, id] of entries.entries()) {
      const own = last.get(id) ?? 0;
      messages +=
        2 * topology.successors(id).filter((other) => (last.get(other) ?? 0) > own).length;
      last.set(id, index + 1);
    }
    return messages;
  }

  it.each([chain(8), star(9), grid(3, 4), complete(12), randomGraph(20, 0.2, 1)])(
    'at light load is exactly a request and a fork for each neighbour that entered since the last own entry: %o',
    (topology) => {
      const n = topology.nodes.length;
      const result = simulate({
        protocol: diningPhilosophers,
        topology,
        properties: [],
        workload: poisson({ mean: 1_000_000 * n, entries: 10, hold: { kind: 'fixed', ms: 1 } }),
      });
      const entries = result.exclusion.entries.map(({ node }) => node);
      expect(entries).toHaveLength(10 * n);
      expect(totalMessages(result)).toBe(alone(topology, entries));
    },
  );

  proof(
    'at heavy load is 2d on a complete network: all others enter between two entries of a node',
    () => {
      for (const n of [3, 6, 12]) {
        const result = simulate({
          protocol: diningPhilosophers,
          topology: complete(n),
          properties: [],
          workload: closedLoop({ entries: 50, think: { kind: 'fixed', ms: 0 } }),
        });
        const perEntry = totalMessages(result) / result.exclusion.entries.length;
        expect(perEntry / (2 * (n - 1))).toBeGreaterThan(0.95);
        expect(perEntry).toBeLessThanOrEqual(2 * (n - 1));
      }
    },
  );

  it.each([
    [
      'each next to the one before it: one node at a time',
      'edges:a,b,c,d,e,f,a-b,b-c,c-d,d-e,e-f,f-a',
      1,
    ],
    ['the first three apart: three at once', 'edges:a,b,c,d,e,f,a-d,d-b,b-e,e-c,c-f,f-a', 3],
  ])(
    'at heavy load on a ring of 6 the order of the nodes decides how many eat at once, %s',
    (_what, spec, atOnce) => {
      const { exclusion } = simulate({
        protocol: diningPhilosophers,
        topology: topology(spec),
        properties: [],
        workload: closedLoop({
          entries: 50,
          think: { kind: 'fixed', ms: 0 },
          hold: { kind: 'fixed', ms: 100 },
        }),
        conditions: { delay: { kind: 'fixed', ms: 1 } },
      });
      const stays = exclusion.entries.map(({ enteredAt }) => enteredAt);
      const most = Math.max(
        ...stays.map((at) => stays.filter((other) => other <= at && at < other + 100).length),
      );
      expect(most).toBe(atOnce);
    },
  );
});
