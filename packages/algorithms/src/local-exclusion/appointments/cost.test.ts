import { explore } from '@conclave/core/exploration';
import { costOf } from '@conclave/core/internal/protocol';
import { atMost } from '@conclave/core/protocol';
import { closedLoop, poisson, simulate } from '@conclave/core/simulation';
import { chain, complete, star } from '@conclave/core/topology';
import { replay } from '@conclave/core/trace';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { appointments } from './protocol.js';

describe('appointments cost', () => {
  it.each([
    [chain(2), 1, 2, 4],
    [complete(3), 2, 1, 6],
  ] as const)(
    '[AP1] [AP2] [AP5] is at most 3(k−1) messages per appointment, and no less, in every interleaving: %o',
    (topology, others, commands, steps) => {
      const bounds = [
        atMost(3 * others, { per: 'acquire' }),
        ...['request', 'granted', 'returned'].map((type) =>
          atMost(others, { per: 'acquire', of: [type] }),
        ),
      ];
      const found = explore(appointments, topology, {
        commands,
        properties: [...bounds, atMost(3 * others - 1, { per: 'acquire' })],
      });
      expect(found.complete).toBe(true);
      expect(found.properties.slice(0, 5).map(({ verdict }) => verdict)).toEqual([
        'holds',
        'holds',
        'holds',
        'holds',
        'violated',
      ]);
      expect(costOf(appointments, topology.nodes.length, topology)).toEqual(bounds[0]);
      const { trace } = found.properties[4] ?? {};
      expect(trace?.lines).toHaveLength(steps);
      expect(trace && replay(appointments, topology, trace)).toEqual({ steps });
    },
  );

  proof('is exactly 3(k−1) for k participants, under light and heavy load', () => {
    const n = 8;
    const { nodes } = complete(n);
    for (let invited = 0; invited <= n; invited++) {
      const inputs = [{ type: 'acquire', with: nodes.slice(0, invited) }];
      // The organiser takes part, invited or not.
      const others = nodes.reduce(
        (sum, _, place) => sum + (place < invited ? invited - 1 : invited),
        0,
      );
      for (const workload of [
        closedLoop({ entries: 3, think: { kind: 'fixed', ms: 0 }, inputs }),
        poisson({ mean: 10_000, entries: 3, inputs }),
      ]) {
        const { messages, exclusion } = simulate({
          protocol: appointments,
          topology: complete(n),
          workload,
        });
        expect(exclusion.entries).toHaveLength(3 * n);
        for (const type of ['request', 'granted', 'returned'])
          expect(messages[type] ?? 0).toBe(3 * others);
      }
    }
  });

  it('does not depend on the size of the network: two participants cost 3 messages', () => {
    for (const n of [3, 10, 30]) {
      const inputs = [{ type: 'acquire', with: star(n).nodes.slice(0, 1) }];
      const workload = closedLoop({ entries: 2, inputs, nodes: star(n).nodes.slice(1) });
      const { messages } = simulate({
        protocol: appointments,
        topology: star(n),
        workload,
        properties: [],
      });
      expect(messages).toEqual({
        granted: 2 * (n - 1),
        request: 2 * (n - 1),
        returned: 2 * (n - 1),
      });
    }
  });
});
