import { explore } from '@conclave/core/exploration';
import { costOf } from '@conclave/core/internal/protocol';
import { atMost } from '@conclave/core/protocol';
import { closedLoop, poisson, simulate } from '@conclave/core/simulation';
import { star } from '@conclave/core/topology';
import { describe, expect, it } from 'vitest';
import { propertyNamed } from '../../../contract/findings.js';
import { centralCoordinator } from './protocol.js';

const plain = centralCoordinator();
const acknowledged = centralCoordinator({ acknowledge: true });

describe('central-coordinator cost', () => {
  const loads = [
    closedLoop({ entries: 3, think: { kind: 'fixed', ms: 0 } }),
    poisson({ mean: 10_000, entries: 3 }),
  ];
  const conditions = { order: 'any', delay: { kind: 'uniform', least: 0, most: 30 } } as const;

  it('is exactly 3 messages per entry, under light and heavy load, for every n in 2 … 20', () => {
    for (let n = 2; n <= 20; n++)
      for (const workload of loads) {
        const { messages, exclusion } = simulate({
          protocol: plain,
          topology: star(n),
          workload,
          conditions,
        });
        const entries = 3 * (n - 1);
        expect(exclusion.entries).toHaveLength(entries);
        expect(messages).toEqual({ grant: entries, released: entries, request: entries });
      }
  });

  it('is 3 in every interleaving; 2 of them precede the entry', () => {
    const bounds = [
      atMost(3, { per: 'acquire' }),
      atMost(2, { per: 'acquire', of: ['request', 'grant'] }),
    ];
    const tighter = [
      atMost(2, { per: 'acquire' }),
      atMost(1, { per: 'acquire', of: ['request', 'grant'] }),
    ];
    const found = explore(plain, star(4), {
      commands: 2,
      properties: [...bounds, ...tighter],
    });
    for (const { name } of bounds)
      expect(propertyNamed(found.properties, name).verdict).toBe('holds');
    for (const { name } of tighter)
      expect(propertyNamed(found.properties, name).verdict).toBe('violated');
    expect(costOf(plain, 4)).toEqual(atMost(3, { per: 'acquire' }));
  });

  it('with acknowledge it is 1 more for a queued client, as long as no timeout passes', () => {
    const unhurried = centralCoordinator({ acknowledge: true, timeout: 1_000_000 });
    for (let n = 2; n <= 20; n++)
      for (const workload of loads) {
        const { messages, exclusion } = simulate({
          protocol: unhurried,
          topology: star(n),
          workload,
          conditions,
        });
        const entries = 3 * (n - 1);
        const { queued = 0, ...others } = messages;
        expect(exclusion.entries).toHaveLength(entries);
        expect(others).toEqual({ grant: entries, released: entries, request: entries });
        expect(queued).toBeLessThan(entries);
      }
  });

  it('with acknowledge there is no bound: queued clients inquire as long as another one stays in the critical section', () => {
    const bound = atMost(100, { per: 'acquire' });
    const found = explore(acknowledged, star(3), {
      time: { kind: 'exact', delay: [0, 250] },
      properties: [bound],
    });
    expect(propertyNamed(found.properties, bound.name).verdict).toBe('violated');
    expect(costOf(acknowledged, 3)).toBeUndefined();
  });
});
