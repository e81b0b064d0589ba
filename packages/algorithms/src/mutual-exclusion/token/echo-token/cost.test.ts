import { explore } from '@conclave/core/exploration';
import { costOf } from '@conclave/core/internal/protocol';
import { randomGraph } from '@conclave/core/internal/topology';
import { atMost, type Protocol } from '@conclave/core/protocol';
import { closedLoop, poisson, simulate } from '@conclave/core/simulation';
import { chain, complete, type Topology } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { ofWholes, withMachine } from '../../../contract/mutant.js';
import { machine as flood } from '../tree-token/tree-token.js';
import { echoToken } from './protocol.js';

const protocol: Protocol = echoToken();
const flooded: Protocol = {
  ...withMachine(protocol, flood),
  properties: ofWholes(protocol.properties).slice(0, -1),
};
const edges = ({ links }: Topology) => links.length / 2;

describe('echo-token cost', () => {
  it.each([
    [chain(2), { commands: 2 }],
    [chain(3), { commands: 1 }],
    [complete(3), { commands: 1, initiators: ['b', 'c'] }],
  ] as const)(
    'in every interleaving: at most 2e messages per search, and n−1 for the path of the token: $spec',
    (topology, budget) => {
      const n = topology.nodes.length;
      const of = ['search', 'echo'];
      const wave = atMost(2 * edges(topology), { per: 'acquire', of });
      const fewer = atMost(2 * edges(topology) - 1, { per: 'acquire', of });
      const all = atMost((n + 1) * (n - 1), { per: 'acquire' });
      const tokens = atMost(n - 1, { per: 'acquire', of: ['token'] });
      const { complete, properties } = explore(protocol, topology, {
        ...budget,
        properties: [wave, tokens, all, fewer],
      });
      expect(complete).toBe(true);
      expect(costOf(protocol, n)).toEqual(all);
      expect(properties.slice(0, 4).map(({ verdict }) => verdict)).toEqual([
        'holds',
        'holds',
        'holds',
        'violated',
      ]);
    },
  );

  const run = (protocol: Protocol, topology: Topology, workload: ReturnType<typeof closedLoop>) => {
    const conditions = { order: 'any', delay: { kind: 'uniform', least: 1, most: 30 } } as const;
    const { messages, exclusion } = simulate({ protocol, topology, workload, conditions });
    const { search = 0, echo = 0, token = 0 } = messages;
    expect(exclusion.entries).toHaveLength(5 * topology.nodes.length);
    return {
      wave: search + echo,
      token,
      waited: exclusion.entries.filter(({ requestedAt, enteredAt }) => enteredAt > requestedAt)
        .length,
    };
  };

  proof(
    'light load: exactly 2e messages per search, each edge once in each direction; 2e − (n−1) without echoes',
    () => {
      for (let n = 2; n <= 20; n += 3) {
        const topology = randomGraph(n, 0.3, n);
        const light = poisson({ mean: 10_000, entries: 5 });
        const echoing = run(protocol, topology, light);
        expect(echoing.wave).toBe(2 * edges(topology) * echoing.waited);
        expect(echoing.token).toBeLessThanOrEqual((n - 1) * echoing.waited);
        const silent = run(flooded, topology, light);
        expect(silent.wave).toBe((2 * edges(topology) - (n - 1)) * silent.waited);
      }
    },
  );

  proof(
    'heavy load: at most that, and less where a wave is overtaken by the next one of the same node',
    () => {
      let overtaken = 0;
      for (let n = 2; n <= 20; n += 3) {
        const topology = randomGraph(n, 0.3, n);
        const { wave, token, waited } = run(
          protocol,
          topology,
          closedLoop({ entries: 5, think: { kind: 'fixed', ms: 0 } }),
        );
        expect(wave).toBeLessThanOrEqual(2 * edges(topology) * waited);
        expect(token).toBeLessThanOrEqual((n - 1) * waited);
        overtaken += 2 * edges(topology) * waited - wave;
      }
      expect(overtaken).toBeGreaterThan(0);
    },
  );
});
