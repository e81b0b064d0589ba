import {
  type Conditions,
  closedLoop,
  poisson,
  simulate,
  totalMessages,
  type Workload,
} from '@conclave/core/simulation';
import { chain, type Topology, tree } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect } from 'vitest';
import { lineThrough } from '../../../contract/fit.js';
import { raymond } from './protocol.js';

const plain = raymond();

const perEntry = (topology: Topology, workload: Workload) => {
  const result = simulate({ protocol: plain, topology, properties: [], workload });
  return totalMessages(result) / result.exclusion.entries.length;
};

describe('raymond cost', () => {
  proof(
    'is at most 4.2 messages per entry at saturation on a binary tree of 31, with every option',
    () => {
      for (const options of [{}, { piggyback: true }, { greedy: 2 }]) {
        const result = simulate({
          protocol: raymond(options),
          topology: tree(2, 31),
          workload: closedLoop({ entries: 40, think: { kind: 'fixed', ms: 0 } }),
          conditions: { order: 'any', delay: { kind: 'uniform', least: 1, most: 20 } },
        });
        expect(result.exclusion.entries).toHaveLength(31 * 40);
        expect(totalMessages(result) / result.exclusion.entries.length).toBeLessThanOrEqual(4.2);
      }
    },
  );

  proof(
    'at heavy load is less, 1.6 to 2.6, where delays are random and longer than the time in the critical section: the holder enters again before a request arrives',
    () => {
      const workload = closedLoop({
        entries: 50,
        think: { kind: 'fixed', ms: 0 },
        hold: { kind: 'fixed', ms: 5 },
      });
      const measured = (delay: Conditions['delay']) =>
        [tree(2, 15), tree(2, 31), tree(2, 63)].map((topology) => {
          const result = simulate({
            protocol: plain,
            topology,
            properties: [],
            workload,
            conditions: { order: 'any', delay },
          });
          return totalMessages(result) / result.exclusion.entries.length;
        });
      const slow = [
        measured({ kind: 'uniform', least: 10, most: 50 }),
        measured({ kind: 'exponential', mean: 20 }),
      ].flat();
      expect(Math.min(...slow)).toBeGreaterThan(1.6);
      expect(Math.max(...slow)).toBeLessThan(2.6);
      // With faster messages it is nearly 4.
      expect(Math.min(...measured({ kind: 'fixed', ms: 1 }))).toBeGreaterThan(3.6);
    },
  );

  proof(
    'at light load on a chain of 31, a request from another node than the holder travels (n+1)/3 links, within 5 %',
    () => {
      const { messages, exclusion } = simulate({
        protocol: plain,
        topology: chain(31),
        workload: poisson({ mean: 1_000_000, entries: 100, hold: { kind: 'fixed', ms: 1 } }),
      });
      const elsewhere = exclusion.entries.filter(
        ({ node }, index, all) => node !== (all[index - 1]?.node ?? 'a'),
      ).length;
      expect(elsewhere).toBeGreaterThan(2_500);
      const ratio = (messages.request ?? 0) / elsewhere / ((31 + 1) / 3);
      expect(ratio).toBeGreaterThan(0.95);
      expect(ratio).toBeLessThan(1.05);
    },
  );

  proof(
    'at light load grows as log n on binary trees of 8 … 1,024 nodes: by nearly 4 messages for each doubling of n',
    () => {
      const points = [8, 32, 128, 1024].map((n) => {
        const entries = Math.max(2, Math.ceil(1024 / n));
        const workload = poisson({ mean: 2_000 * n, entries, hold: { kind: 'fixed', ms: 1 } });
        return { x: Math.log2(n), y: perEntry(tree(2, n), workload) };
      });
      const { slope, correlation } = lineThrough(points);
      expect(slope).toBeGreaterThan(3);
      expect(slope).toBeLessThan(4);
      expect(correlation).toBeGreaterThan(0.99);
    },
  );

  proof(
    'at heavy load is 4(n−1)/n messages per entry on binary trees of 8 … 1,024 nodes: for n entries, each link is used twice in both directions',
    () => {
      for (const n of [8, 16, 32, 64, 128, 256, 512, 1024]) {
        const cost = perEntry(
          tree(2, n),
          closedLoop({ entries: Math.max(2, Math.ceil(512 / n)), think: { kind: 'fixed', ms: 0 } }),
        );
        expect(cost / ((4 * (n - 1)) / n)).toBeGreaterThan(0.99);
        expect(cost / ((4 * (n - 1)) / n)).toBeLessThan(1.01);
      }
    },
  );
});
