import { explore } from '@conclave/core/exploration';
import { costOf } from '@conclave/core/internal/protocol';
import { atMost, send } from '@conclave/core/protocol';
import { closedLoop, poisson, simulate, totalMessages } from '@conclave/core/simulation';
import { ring } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { enqueueActions } from 'xstate';
import { failing, propertyNamed } from '../../../contract/findings.js';
import { withMachine, withoutSteps } from '../../../contract/mutant.js';
import { machine } from './hunted-token.js';
import { huntedToken } from './protocol.js';

const plain = huntedToken();

describe('hunted-token cost', () => {
  proof.each([
    [2, 3, 2],
    [3, 2, 5],
    [4, 1, 7],
    [5, 1, 9],
  ])(
    'is at most 2(n−1) messages per request among %i nodes with %i each, and this bound is reached',
    (n, commands, steps) => {
      const [bound, less] = [
        atMost(2 * (n - 1), { per: 'acquire' }),
        atMost(2 * (n - 1) - 1, { per: 'acquire' }),
      ];
      const halves = [
        atMost(n - 1, { per: 'acquire', of: ['hunt'] }),
        atMost(n - 1, { per: 'acquire', of: ['token'] }),
      ];
      const found = explore(plain, ring(n), { commands, properties: [bound, less, ...halves] });
      expect(found.complete).toBe(true);
      expect(failing(found)).toEqual([less.name]);
      expect(propertyNamed(found.properties, less.name).trace?.lines).toHaveLength(steps);
      expect(costOf(plain, n)).toEqual(bound);
    },
  );

  it('has no bound if a node keeps the end of the round when it passes the token on: the token never rests', () => {
    // With FIFO channels hops need not be counted; counted, they would make infinitely many worlds.
    const mindful = machine.provide({
      guards: { tokenIsComing: () => false },
      actions: {
        passToken: enqueueActions(({ context: { next, end, entries }, enqueue }) => {
          if (end !== null) enqueue.emit(send(next, { type: 'token', hop: 0, end, entries }));
        }),
      },
    });
    const found = explore(withoutSteps(withMachine(plain, mindful)), ring(3), { order: 'fifo' });
    expect(found.complete).toBe(true);
    expect(failing(found)).toEqual([
      'the token comes to rest: each request causes a bounded number of messages',
    ]);
  });

  it('one request alone costs n … 2(n−1) messages, by the distance of the token', () => {
    for (const n of [2, 3, 5, 9, 20]) {
      const names = ring(n).nodes;
      for (const [place, node] of names.entries()) {
        const { messages } = simulate({
          protocol: plain,
          topology: ring(n),
          workload: closedLoop({ nodes: [node] }),
        });
        const hops = (n - place) % n;
        expect(messages).toEqual(hops === 0 ? {} : { hunt: hops, token: n - 1 });
      }
    }
  });

  proof('at light load is (n−1)/n · (3n/2 − 1) on average, within 2 %, for n = 4 … 16', () => {
    for (const n of [4, 8, 16]) {
      const entries = 4096 / n;
      const result = simulate({
        protocol: plain,
        topology: ring(n),
        properties: [],
        workload: poisson({ mean: 10_000 * n * n, entries, hold: { kind: 'fixed', ms: 1 } }),
      });
      const ratio =
        totalMessages(result) / result.exclusion.entries.length / (((n - 1) / n) * (1.5 * n - 1));
      expect(ratio).toBeGreaterThan(0.98);
      expect(ratio).toBeLessThan(1.02);
    }
  });

  proof(
    'at heavy load is 2 messages per entry for n = 2 … 64, except for the first: a hop, and a hunt that the next node does not pass on',
    () => {
      for (const n of [2, 3, 4, 8, 16, 64]) {
        const workload = closedLoop({ entries: 40, think: { kind: 'fixed', ms: 0 } });
        const { exclusion, messages } = simulate({ protocol: plain, topology: ring(n), workload });
        expect(exclusion.entries).toHaveLength(40 * n);
        expect(messages).toEqual({ hunt: 40 * n - 1, token: 40 * n - 1 });
      }
    },
  );
});
