import { explore } from '@conclave/core/exploration';
import { atMost, costOf } from '@conclave/core/protocol';
import { closedLoop, poisson, simulate } from '@conclave/core/simulation';
import { star } from '@conclave/core/topology';
import { describe, expect, it } from 'vitest';
import { centralCoordinator } from './protocol.js';

const plain = centralCoordinator();
const acknowledged = centralCoordinator({ acknowledge: true });

const verdictsOf = (found: ReturnType<typeof explore>) => found.properties.map(({ verdict }) => verdict);

describe('central-coordinator cost', () => {
  const loads = [closedLoop({ entries: 3, think: { kind: 'fixed', ms: 0 } }), poisson({ mean: 10_000, entries: 3 })];
  const conditions = { order: 'any', delay: { kind: 'uniform', least: 0, most: 30 } } as const;

  it('is exactly 3 messages per entry, under light and heavy load, for every n in 2 … 20', () => {
    for (let n = 2; n <= 20; n++)
      for (const workload of loads) {
        const { messages, exclusion } = simulate({ protocol: plain, topology: star(n), workload, conditions });
        const entries = 3 * (n - 1);
        expect(exclusion.entries).toHaveLength(entries);
        expect(messages).toEqual({ grant: entries, released: entries, request: entries });
      }
  });

  it('is 3 in every interleaving; 2 are those before the entry, which is what the document counts', () => {
    const found = explore(plain, star(4), {
      commands: 2,
      properties: [
        atMost(3, { per: 'acquire' }),
        atMost(2, { per: 'acquire', of: ['request', 'grant'] }),
        atMost(2, { per: 'acquire' }),
        atMost(1, { per: 'acquire', of: ['request', 'grant'] }),
      ],
    });
    expect(verdictsOf(found).slice(0, 4)).toEqual(['holds', 'holds', 'violated', 'violated']);
    expect(costOf(plain, 4)).toEqual(atMost(3, { per: 'acquire' }));
  });

  it('with acknowledge it is 1 more for whoever is queued, as long as patience lasts', () => {
    const patient = centralCoordinator({ acknowledge: true, patience: 1_000_000 });
    for (let n = 2; n <= 20; n++)
      for (const workload of loads) {
        const { messages, exclusion } = simulate({ protocol: patient, topology: star(n), workload, conditions });
        const entries = 3 * (n - 1);
        const { queued = 0, ...others } = messages;
        expect(exclusion.entries).toHaveLength(entries);
        expect(others).toEqual({ grant: entries, released: entries, request: entries });
        expect(queued).toBeLessThan(entries);
      }
  });

  it('with acknowledge there is no bound: whoever stays inside lets the others ask again and again', () => {
    const found = explore(acknowledged, star(3), { time: 'bounded', properties: [atMost(100, { per: 'acquire' })] });
    expect(found.properties[0]).toMatchObject({ verdict: 'violated' });
    expect(costOf(acknowledged, 3)).toBeUndefined();
  });
});
