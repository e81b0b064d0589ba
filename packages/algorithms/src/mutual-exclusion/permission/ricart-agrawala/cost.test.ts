import { type ExploreOptions, explore } from '@conclave/core/exploration';
import { costOf } from '@conclave/core/internal/protocol';
import { atMost } from '@conclave/core/protocol';
import { closedLoop, simulate } from '@conclave/core/simulation';
import { complete } from '@conclave/core/topology';
import { replay } from '@conclave/core/trace';
import { describe, expect, it } from 'vitest';
import { propertyNamed } from '../../../contract/findings.js';
import { ricartAgrawala } from './protocol.js';

describe.each([
  [2, { commands: 2 }],
  [3, { commands: 1 }],
] satisfies [number, ExploreOptions][])(
  'ricart-agrawala on %i nodes, in every interleaving',
  (n, budget) => {
    const topology = complete(n);
    const all = 2 * (n - 1);
    const bounds = (less: number) => [
      atMost(all - less, { per: 'acquire' }),
      atMost(n - 1 - less, { per: 'acquire', of: ['request'] }),
      atMost(n - 1 - less, { per: 'acquire', of: ['reply'] }),
    ];
    const found = explore(ricartAgrawala, topology, {
      ...budget,
      properties: [...bounds(0), ...bounds(1)],
    });
    const findings = (less: number) =>
      bounds(less).map(({ name }) => propertyNamed(found.properties, name));

    it('[RA1] [RA2] [RA5] costs 2(n−1) messages per entry: n−1 requests and n−1 replies', () => {
      expect(found.complete).toBe(true);
      expect(findings(0).map(({ verdict }) => verdict)).toEqual(['holds', 'holds', 'holds']);
      expect(costOf(ricartAgrawala, n)).toEqual(bounds(0)[0]);
    });

    it('costs no less: shortest traces', () => {
      const dearer = findings(1);
      expect(dearer.map(({ verdict }) => verdict)).toEqual(['violated', 'violated', 'violated']);
      // Each request arrives and gets its reply at once: the command, and a delivery for each
      // reply.
      expect(dearer.map(({ trace }) => trace?.lines.length)).toEqual([n, 1, n]);
      for (const { trace } of dearer)
        expect(trace && replay(ricartAgrawala, topology, trace)).toEqual({
          steps: trace?.lines.length,
        });
    });
  },
);

it('ricart-agrawala costs 2(n−1) messages per entry in a simulation as well', () => {
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
