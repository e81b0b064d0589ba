import { readFileSync } from 'node:fs';
import { type ExploreOptions, explore } from '@conclave/core/exploration';
import { overtaken, type Protocol } from '@conclave/core/protocol';
import { chain, complete, grid } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { assertEvent, assign } from 'xstate';
import { exploreCrashes } from '../../contract/findings.js';
import { ofWholes, withMachine } from '../../contract/mutant.js';
import { failingOverReliable } from '../../contract/sweep.js';
import { ignoringUnexpected } from '../../mutual-exclusion/ignoring-unexpected.contract.js';
import { entry, handled, outcomeOf, quiescence } from '../../mutual-exclusion/outcome.contract.js';
import { fencedAlongEdges } from '../local-exclusion.contract.js';
import { type Command, machine } from './appointments.js';
import { appointments } from './protocol.js';

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
  [handled]: 'holds',
  [quiescence]: 'holds',
};
/** On a chain of three, both ends want an appointment with the node between them. */
const withAll: Command = { type: 'acquire', with: 'neighbours' };
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
