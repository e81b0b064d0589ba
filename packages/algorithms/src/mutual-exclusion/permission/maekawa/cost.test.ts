import { type ExploreOptions, explore } from '@conclave/core/exploration';
import { costOf } from '@conclave/core/internal/protocol';
import { atMost, type Protocol } from '@conclave/core/protocol';
import {
  closedLoop,
  poisson,
  type SimulationResult,
  simulate,
  totalMessages,
  type Workload,
} from '@conclave/core/simulation';
import { complete } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect } from 'vitest';
import { propertyNamed } from '../../../contract/findings.js';
import { type QuorumKind, quorumSets } from '../building-blocks/quorum-sets.js';
import { maekawa } from './protocol.js';

const light = poisson({ mean: 1_000_000, entries: 5, hold: { kind: 'fixed', ms: 1 } });
const heavy = closedLoop({ entries: 10, think: { kind: 'fixed', ms: 0 } });
const run = (protocol: Protocol, n: number, workload: Workload): SimulationResult =>
  simulate({
    protocol,
    topology: complete(n),
    workload,
    conditions: { order: 'fifo', delay: { kind: 'uniform', least: 1, most: 30 } },
  });
const perEntry = (result: SimulationResult) =>
  totalMessages(result) / result.exclusion.entries.length;
/** K−1 on average: the other nodes in a quorum. */
const othersOf = (quorums: QuorumKind, n: number) => {
  const sets = [...quorumSets(quorums, complete(n).nodes).values()];
  return sets.reduce((sum, { length }) => sum + length - 1, 0) / sets.length;
};

describe('maekawa cost', () => {
  proof.each([
    ['best', 2, { commands: 3 }, 4],
    ['best', 3, { commands: 2 }, 4],
    ['grid', 3, { commands: 2 }, 6],
    ['best', 4, { commands: 1 }, 9],
    ['majority', 4, { initiators: ['a', 'b', 'c'] }, 9],
    ['best', 7, { initiators: ['a', 'b', 'c'] }, 7],
  ] satisfies [QuorumKind, number, ExploreOptions, number][])(
    'in every interleaving, quorums %s of %i nodes, %o: at most %i messages per entry, and this bound is reached; it is below 5(K−1)',
    (quorums, n, budget, most) => {
      const protocol = maekawa({ quorums });
      const [all, less] = [atMost(most, { per: 'acquire' }), atMost(most - 1, { per: 'acquire' })];
      const found = explore(protocol, complete(n), { ...budget, properties: [all, less] });
      expect(found.complete).toBe(true);
      expect([all, less].map(({ name }) => propertyNamed(found.properties, name).verdict)).toEqual([
        'holds',
        'violated',
      ]);
      const largest = Math.max(
        ...[...quorumSets(quorums, complete(n).nodes).values()].map(({ length }) => length),
      );
      expect(most).toBeLessThan(5 * (largest - 1));
      expect(costOf(protocol, n)?.most).toBe(6 * largest - 3);
    },
  );

  const sizes = [3, 7, 9, 13, 16, 21];

  proof.each(['best', 'majority'] as const)(
    'without contention it is exactly one REQUEST, one vote and one RELEASE for each other node of the quorum: %s',
    (quorums) => {
      for (const n of sizes) {
        const { messages, exclusion } = run(maekawa({ quorums }), n, light);
        expect(exclusion.entries).toHaveLength(5 * n);
        const each = 5 * n * othersOf(quorums, n);
        expect(messages).toEqual({ request: each, locked: each, released: each });
      }
    },
  );

  proof(
    'under heavy load it is 4 for each other node of the quorum, within 10 %: one FAILED more',
    () => {
      const measured = (quorums: QuorumKind) =>
        sizes.map((n) => {
          const result = run(maekawa({ quorums }), n, heavy);
          expect(result.exclusion.entries).toHaveLength(10 * n);
          expect(Math.abs(perEntry(result) / othersOf(quorums, n) / 4 - 1)).toBeLessThan(0.1);
          return [n, Number(perEntry(result).toFixed(1))];
        });
      const [best, majority] = [measured('best'), measured('majority')];
      expect(best).toEqual([
        [3, 3.7],
        [7, 7.9],
        [9, 15.9],
        [13, 12],
        [16, 23.9],
        [21, 16],
      ]); // 9 and 16 are grids
      expect(majority).toEqual([
        [3, 3.7],
        [7, 12],
        [9, 15.9],
        [13, 24],
        [16, 32],
        [21, 40],
      ]);
    },
  );
});
