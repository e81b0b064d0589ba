import { costOf } from '@conclave/core/internal/protocol';
import { closedLoop, simulate, type Workload } from '@conclave/core/simulation';
import { ring } from '@conclave/core/topology';
import { describe, expect, it } from 'vitest';
import { tokenRing } from '../token-ring/protocol.js';
import { regeneratedToken } from './protocol.js';

const heavy = () => closedLoop({ entries: 10, think: { kind: 'fixed', ms: 0 } });

describe('regenerated-token cost', () => {
  it('is that of the token ring if no message is lost and no timeout is too short: the same run, message by message', () => {
    const loads: readonly (() => Workload)[] = [
      heavy,
      () => closedLoop({ entries: 5, think: { kind: 'exponential', mean: 40 } }),
    ];
    for (const n of [2, 3, 5, 8])
      for (const workload of loads) {
        const run = (protocol: Parameters<typeof simulate>[0]['protocol']) =>
          simulate({
            protocol,
            topology: ring(n),
            workload: workload(),
            seed: n,
            conditions: { delay: { kind: 'uniform', least: 1, most: 9 } },
          });
        const [plain, regenerated] = [
          run(tokenRing()),
          run(regeneratedToken({ coordinator: 'a' })),
        ];
        expect(regenerated.messages).toEqual(plain.messages);
        expect(regenerated.exclusion.entries).toEqual(plain.exclusion.entries);
      }
  });

  it('includes one election, and no inquiry', () => {
    for (let n = 2; n <= 12; n++) {
      const { messages, exclusion } = simulate({
        protocol: regeneratedToken(),
        topology: ring(n),
        workload: heavy(),
      });
      const {
        token = 0,
        'election-election': election = 0,
        'election-elected': elected,
        inquiry = 0,
      } = messages;
      expect(exclusion.entries).toHaveLength(10 * n);
      expect([election, elected, inquiry]).toEqual([2 * n - 1, n, 0]);
      expect(token).toBeLessThanOrEqual(11 * n);
    }
  });

  it('of a loss is a timeout and a new token, and a round of the inquiry if the coordinator inquires', () => {
    const run = (blindRegenerations: number) =>
      simulate({
        protocol: regeneratedToken({ coordinator: 'a', timeout: 100, blindRegenerations }),
        topology: ring(4),
        conditions: { delay: { kind: 'fixed', ms: 1 }, loss: 1 },
        faults: [{ kind: 'conditions', at: 150, change: { loss: 0 } }],
        workload: closedLoop({ nodes: ['c'], entries: 1, think: { kind: 'fixed', ms: 0 } }),
      });
    // Two losses, 100 ms apart, and three hops of the token that comes then: to b, to c, and on
    // from c.
    const [twice, once, none] = [run(2), run(1), run(0)];
    expect(twice.messages).toEqual({ token: 2 + 3 });
    expect(once.messages).toEqual({ token: 2 + 3, inquiry: 4 });
    expect(none.messages).toEqual({ token: 1 + 3, inquiry: 1 + 4 });
    expect([twice, once, none].map(({ exclusion }) => exclusion.entries[0]?.enteredAt)).toEqual([
      202, 206, 206,
    ]);
  });

  it('has no bound', () => {
    expect(costOf(regeneratedToken(), 5)).toBeUndefined();
  });
});
