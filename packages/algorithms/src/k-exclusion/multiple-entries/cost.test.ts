import { type ExploreOptions, explore } from '@conclave/core/exploration';
import { atMost } from '@conclave/core/protocol';
import {
  closedLoop,
  poisson,
  simulate,
  totalMessages,
  type Workload,
} from '@conclave/core/simulation';
import { complete } from '@conclave/core/topology';
import { quickOf } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { multipleEntries } from './protocol.js';

describe('multiple-entries cost', () => {
  it.each(
    quickOf(
      [
        [1, 2, { commands: 2 }],
        [2, 3, { initiators: ['a', 'b'] }],
        [2, 3, {}],
        [2, 3, { initiators: ['a', 'b'], commands: 2 }],
      ] satisfies [number, number, ExploreOptions][],
      ([n, , budget]) => n === 1 || Object.keys(budget).length === 1,
    ),
  )(
    'is at most 2(n−1) messages per entry, and that is tight: k = %i of %i nodes, %o, every interleaving',
    (entries, n, budget) => {
      const all = 2 * (n - 1);
      const bounds = [
        atMost(all, { per: 'acquire' }),
        atMost(n - 1, { per: 'acquire', of: ['reply'] }),
        atMost(all - 1, { per: 'acquire' }),
      ];
      const found = explore(multipleEntries({ entries }), complete(n), {
        ...budget,
        properties: bounds,
      });
      expect(found.complete).toBe(true);
      expect(found.properties.slice(0, 3).map(({ verdict }) => verdict)).toEqual([
        'holds',
        'holds',
        'violated',
      ]);
    },
  );

  /** Messages per entry in a run of n nodes, each of which enters 3 times. */
  const perEntry = (n: number, entries: number, workload: Workload): number => {
    const found = simulate({
      protocol: multipleEntries({ entries }),
      topology: complete(n),
      workload,
      conditions: { order: 'any', delay: { kind: 'uniform', least: 0, most: 30 } },
    });
    expect(found.exclusion.entries).toHaveLength(3 * n);
    return totalMessages(found) / (3 * n);
  };

  it.each(
    quickOf(
      [
        [2, 4],
        [5, 9],
      ],
      ([, largest]) => largest <= 4,
    ),
  )(
    'is exactly 2(n−1) at light load, and from 2n−k−1 to that at heavy load, for every k in 1 … n and n in %i … %i',
    (fewest, largest) => {
      const heavy = closedLoop({ entries: 3, think: { kind: 'fixed', ms: 0 } });
      for (let n = fewest; n <= largest; n++)
        for (let entries = 1; entries <= n; entries++) {
          const most = 2 * (n - 1);
          expect(perEntry(n, entries, poisson({ mean: 100_000, entries: 3 }))).toBe(most);
          expect(perEntry(n, entries, heavy)).toBeLessThanOrEqual(most);
          expect(perEntry(n, entries, heavy)).toBeGreaterThanOrEqual(2 * n - entries - 1);
        }
    },
  );

  it('comes near to 2n−k−1 where k−1 nodes stay inside while another one enters many times', () => {
    const [n, entries, times] = [5, 3, 20];
    const stays: Workload = (application) => {
      const enters = (id: string, at: number, ms: number) => {
        application.later({ kind: 'fixed', ms: at }, () =>
          application.tell(id, { type: 'acquire' }),
        );
        application.later({ kind: 'fixed', ms: at + ms }, () =>
          application.tell(id, { type: 'release' }),
        );
      };
      for (const id of ['b', 'c']) enters(id, 0, 10_000);
      for (let time = 1; time <= times; time++) enters('a', 100 * time, 50);
      return () => {};
    };
    const { messages } = simulate({
      protocol: multipleEntries({ entries }),
      topology: complete(n),
      workload: stays,
      conditions: { order: 'any', delay: { kind: 'fixed', ms: 1 } },
    });
    const ownEntries = times + 2;
    expect(messages.request).toBe(ownEntries * (n - 1));
    // a gets n−k replies to each request, and at last one more of b and of c for all
    expect(messages.reply).toBe(times * (n - entries) + 2 + 2 * (n - 1));
  });
});
