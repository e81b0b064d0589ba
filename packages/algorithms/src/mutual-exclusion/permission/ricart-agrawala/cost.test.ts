import { type ExploreOptions, explore } from '@conclave/core/exploration';
import { atMost, costOf } from '@conclave/core/protocol';
import { closedLoop, simulate } from '@conclave/core/simulation';
import { complete } from '@conclave/core/topology';
import { replay } from '@conclave/core/trace';
import { describe, expect, it } from 'vitest';
import { ricartAgrawala } from './protocol.js';

describe.each([
  [2, { commands: 2 }],
  [3, { commands: 1 }],
] satisfies [number, ExploreOptions][])('ricart-agrawala on %i nodes, in every interleaving', (n, budget) => {
  const topology = complete(n);
  const all = 2 * (n - 1);
  const properties = [
    atMost(all, { per: 'acquire' }),
    atMost(n - 1, { per: 'acquire', of: ['request'] }),
    atMost(n - 1, { per: 'acquire', of: ['reply'] }),
    atMost(all - 1, { per: 'acquire' }),
    atMost(n - 2, { per: 'acquire', of: ['request'] }),
    atMost(n - 2, { per: 'acquire', of: ['reply'] }),
  ];
  const found = explore(ricartAgrawala, topology, { ...budget, properties });

  it('[RA1] [RA2] [RA5] costs 2(n−1) messages per entry: n−1 requests and n−1 replies', () => {
    expect(found.complete).toBe(true);
    expect(found.properties.slice(0, 3).map(({ verdict }) => verdict)).toEqual(['holds', 'holds', 'holds']);
    expect(costOf(ricartAgrawala, n)).toEqual(properties[0]);
  });

  it('costs no less; nodes go the shortest way that shows it', () => {
    const dearer = found.properties.slice(3, 6);
    expect(dearer.map(({ verdict }) => verdict)).toEqual(['violated', 'violated', 'violated']);
    // A request arrives and is answered at once: the wish, and a delivery for each reply.
    expect(dearer.map(({ trace }) => trace?.lines.length)).toEqual([n, 1, n]);
    for (const { trace } of dearer) expect(trace && replay(ricartAgrawala, topology, trace)).toEqual({ steps: trace?.lines.length });
  });
});

it('ricart-agrawala costs 2(n−1) messages per entry in a simulation, too', () => {
  const verdictOf = (most: number) =>
    simulate({
      protocol: ricartAgrawala,
      topology: complete(9),
      workload: closedLoop({ entries: 3 }),
      properties: [atMost(most, { per: 'acquire' })],
    }).properties.map(({ verdict }) => verdict);
  expect(verdictOf(16)).toEqual(['holds']);
  expect(verdictOf(15)).toEqual(['violated']);
});
