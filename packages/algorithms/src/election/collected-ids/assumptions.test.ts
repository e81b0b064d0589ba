import { readFileSync } from 'node:fs';
import { explore } from '@conclave/core/exploration';
import { atMost } from '@conclave/core/protocol';
import { oneShot, simulate } from '@conclave/core/simulation';
import { complete } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { withMachine } from '../../contract/mutant.js';
import { conditionsFor } from '../../contract/sweep.js';
import { handled, outcomeOf, quiescence } from '../../mutual-exclusion/outcome.contract.js';
import { learningBy } from './changed.contract.js';
import { collectedIds } from './protocol.js';

const page = readFileSync(new URL('./README.md', import.meta.url), 'utf8');

describe('collected-ids assumptions', () => {
  const knowsTheLeader = 'every live node knows the one leader';
  const oneLeader = 'at most one node is the leader';

  proof.each([
    [2, 'a lost message', { losses: 1 }, { [oneLeader]: 'holds', [quiescence]: 'violated in 4' }],
    [
      3,
      'a lost message',
      { losses: 1 },
      { [oneLeader]: 'holds', [knowsTheLeader]: 'violated in 6' },
    ],
    [2, 'a crash', { crashes: 1 }, { [oneLeader]: 'holds', [knowsTheLeader]: 'violated in 2' }],
    [3, 'a crash', { crashes: 1 }, { [oneLeader]: 'holds', [knowsTheLeader]: 'violated in 4' }],
    [2, 'a duplicated message', { duplications: 1 }, { [oneLeader]: 'holds', [handled]: 'holds' }],
    [2, 'a restart', { crashes: 1, restarts: 1 }, { [handled]: 'violated in 5' }],
  ] as const)('ring of %i, %s', (n, _what, budget, verdicts) => {
    expect(outcomeOf(collectedIds, complete(n), budget).verdicts).toMatchObject(verdicts);
  });

  it('if the announcement ends at the leader, the nodes behind it never learn of it: the page shows the shortest run', () => {
    const endsAtLeader = learningBy(
      { guard: 'own', target: 'leader', actions: 'learn' },
      { target: 'follower', actions: ['learn', 'inform'] },
    );
    const { verdicts, traces } = outcomeOf(
      withMachine(collectedIds, endsAtLeader),
      complete(['a', 'c', 'b']),
      { initiators: ['a'] },
    );
    expect(verdicts).toMatchObject({ [quiescence]: 'violated in 5' });
    expect(page).toContain(traces[quiescence]);
  });
});

describe('collected-ids cost', () => {
  it.each([complete(2), complete(3)])(
    'is 2n for each initiator in every interleaving, and no less: $spec',
    (topology) => {
      const n = topology.nodes.length;
      const bounds = [2 * n, 2 * n - 1].map((most) => atMost(most, { per: 'elect' }));
      const { properties } = explore(collectedIds, topology, { properties: bounds });
      expect(properties.slice(0, 2).map(({ verdict }) => verdict)).toEqual(['holds', 'violated']);
    },
  );

  proof(
    'is 2n times the number of initiators that start before a message wakes them, for n = 2 … 64',
    () => {
      for (const n of [2, 3, 8, 64])
        for (const initiators of [1, 2, n])
          for (const conditions of conditionsFor(collectedIds)) {
            const topology = complete(n);
            const workload = oneShot(
              { type: 'elect' },
              { nodes: topology.nodes.slice(0, initiators) },
            );
            const { messages } = simulate({
              protocol: { ...collectedIds, properties: [] },
              topology,
              workload,
              conditions,
            });
            expect(messages).toEqual({ election: n * initiators, coordinator: n * initiators });
          }
    },
  );
});
