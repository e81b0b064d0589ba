import { explore } from '@conclave/core/exploration';
import { costOf } from '@conclave/core/internal/protocol';
import { atMost } from '@conclave/core/protocol';
import { closedLoop, poisson, simulate, totalMessages } from '@conclave/core/simulation';
import { complete } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect } from 'vitest';
import { harmonic, lineThrough } from '../../../contract/fit.js';
import { naimiTrehel } from './protocol.js';

const plain = naimiTrehel();

describe('naimi-trehel cost', () => {
  const perEntry = (n: number, workload: Parameters<typeof simulate>[0]['workload']) => {
    const result = simulate({
      protocol: plain,
      topology: complete(n),
      properties: [],
      ...(workload ? { workload } : {}),
    });
    return totalMessages(result) / result.exclusion.entries.length;
  };

  proof.each([
    [3, 2, 7],
    [4, 1, 0],
    [5, 1, 0],
  ])(
    'is at most n messages per entry among %i nodes, in every interleaving',
    (n, commands, steps) => {
      const properties = [
        atMost(n, { per: 'acquire' }),
        atMost(1, { per: 'acquire', of: ['token'] }),
        atMost(n - 1, { per: 'acquire' }),
      ];
      const found = explore(plain, complete(n), { commands, properties });
      expect(found.complete).toBe(true);
      expect(found.properties.slice(0, 2).map(({ verdict }) => verdict)).toEqual([
        'holds',
        'holds',
      ]);
      expect(found.properties[2]?.trace?.lines.length ?? 0).toBe(steps);
      expect(costOf(plain, n)).toEqual(properties[0]);
    },
  );

  proof(
    'at light load grows as log n for n = 8 … 1,024: about H(n−1), the mean for random requesters',
    () => {
      const points = [8, 32, 128, 1024].map((n) => {
        const entries = Math.max(3, Math.ceil(1024 / n));
        const cost = perEntry(
          n,
          poisson({ mean: 2_000 * n, entries, hold: { kind: 'fixed', ms: 1 } }),
        );
        return { n, x: Math.log(n), y: cost };
      });
      // With few entries per node the pointers are still as short as at first, when all led to the
      // holder.
      for (const { n, y } of points) {
        expect(y / harmonic(n - 1)).toBeGreaterThan(0.85);
        expect(y / harmonic(n - 1)).toBeLessThan(1);
      }
      const { slope, correlation } = lineThrough(points);
      expect(slope).toBeGreaterThan(0.8);
      expect(slope).toBeLessThan(1.05);
      expect(correlation).toBeGreaterThan(0.99);
    },
  );

  proof('at heavy load is between 3 and 4 messages per entry, for n = 8 … 256', () => {
    for (const n of [8, 16, 32, 64, 128, 256]) {
      const cost = perEntry(
        n,
        closedLoop({ entries: Math.ceil(1024 / n), think: { kind: 'fixed', ms: 0 } }),
      );
      expect(cost).toBeGreaterThan(3);
      expect(cost).toBeLessThan(4);
    }
  });
});
