import { readFileSync } from 'node:fs';
import { type ExploreOptions, explore } from '@conclave/core/exploration';
import { overtaken, type Protocol } from '@conclave/core/protocol';
import { chain, complete, grid, type Topology } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { exploreCrashes } from '../../contract/findings.js';
import { ofWholes } from '../../contract/mutant.js';
import { failingOverReliable } from '../../contract/sweep.js';
import { ignoringUnexpected } from '../../mutual-exclusion/ignoring-unexpected.contract.js';
import { entry, handled, outcomeOf, quiescence } from '../../mutual-exclusion/outcome.contract.js';
import { diningPhilosophers } from './protocol.js';

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
  [handled]: 'holds',
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
          [handled]: 'holds',
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

describe('dining-philosophers overtaking', () => {
  it.each([2, 3, 4])(
    'a neighbour enters without bound while the request is in transit, over FIFO channels, too: %i entries',
    (commands) => {
      for (const order of ['fifo', 'any'] as const) {
        const bounds = [overtaken(commands - 1), overtaken(commands)];
        const found = explore(diningPhilosophers, chain(2), {
          commands,
          order,
          properties: bounds,
        });
        expect(found.properties.slice(0, 2).map(({ verdict }) => verdict)).toEqual([
          'violated',
          'holds',
        ]);
      }
    },
  );
});
