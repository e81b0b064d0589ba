import { explore } from '@conclave/core/exploration';
import { atMost, type Protocol } from '@conclave/core/protocol';
import { oneShot, simulate, totalMessages } from '@conclave/core/simulation';
import { ring } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { harmonic, lineThrough } from '../../contract/fit.js';
import { itaiRodeh } from './protocol.js';

describe('itai-rodeh cost', () => {
  const mean = (n: number, runs: number, options?: Parameters<typeof itaiRodeh>[0]) => {
    const bare: Protocol = { ...itaiRodeh(options), properties: [] };
    let total = 0;
    for (let seed = 1; seed <= runs; seed++)
      total += totalMessages(
        simulate({ protocol: bare, topology: ring(n), seed, workload: oneShot({ type: 'elect' }) }),
      );
    return total / runs;
  };

  it('is 2n if one node starts, and never less', () => {
    const bounds = [6, 5].map((most) => atMost(most, { per: 'elect' }));
    const { properties } = explore(itaiRodeh(), ring(3), { initiators: ['a'], properties: bounds });
    expect(properties.slice(0, 2).map(({ verdict }) => verdict)).toEqual(['holds', 'violated']);
  });

  proof('grows like n·H_n on average if all nodes start', () => {
    const points = [8, 16, 32, 64, 128].map((n) => ({ x: harmonic(n), y: mean(n, 60) / n }));
    const { slope, correlation } = lineThrough(points);
    expect(correlation).toBeGreaterThan(0.98);
    expect(slope).toBeGreaterThan(0.9);
    expect(slope).toBeLessThan(1.3);
    expect(mean(1000, 2) / (1000 * harmonic(1000) + 1000)).toBeLessThan(1.4);
  });

  it('grows like n² with two ids', () => {
    for (const n of [16, 32]) {
      const ratio = mean(n, 20, { ids: 2 }) / n ** 2;
      expect(ratio).toBeGreaterThan(0.9);
      expect(ratio).toBeLessThan(1.6);
    }
  });
});
