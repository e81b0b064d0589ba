import { explore } from '@conclave/core/exploration';
import { atMost, costOf, send } from '@conclave/core/protocol';
import { closedLoop, poisson, simulate, totalMessages } from '@conclave/core/simulation';
import { ring } from '@conclave/core/topology';
import { describe, expect, it } from 'vitest';
import { enqueueActions } from 'xstate';
import { withMachine } from '../../../contract/mutant.js';
import { withoutSteps } from '../../../contract/without-steps.js';
import { machine } from './hunted-token.js';
import { huntedToken } from './protocol.js';

const plain = huntedToken();

describe('hunted-token cost', () => {
  it.each([
    [2, 3, 2],
    [3, 2, 5],
    [4, 1, 7],
    [5, 1, 9],
  ])('is at most 2(n−1) messages per wish among %i nodes with %i each, and no fewer: so the token comes to rest', (n, commands, steps) => {
    const bounds = [2 * (n - 1), 2 * (n - 1) - 1].map((most) => atMost(most, { per: 'acquire' }));
    const halves = [atMost(n - 1, { per: 'acquire', of: ['hunt'] }), atMost(n - 1, { per: 'acquire', of: ['token'] })];
    const found = explore(plain, ring(n), { commands, properties: [...bounds, ...halves] });
    expect(found.complete).toBe(true);
    expect(found.properties.slice(0, 4).map(({ verdict }) => verdict)).toEqual(['holds', 'violated', 'holds', 'holds']);
    expect(found.properties[1]?.trace?.lines).toHaveLength(steps);
    expect(costOf(plain, n)).toEqual(bounds[0]);
  });

  it('has no bound where a node that passes the token on keeps in mind where its round was to end: it runs when nobody wants it', () => {
    // Nothing overtakes here, so that hops need not be counted, which would make endless worlds.
    const mindful = machine.provide({
      guards: { tokenIsComing: () => false },
      actions: {
        passToken: enqueueActions(({ context: { next, end, entries }, enqueue }) => {
          if (end !== null) enqueue.emit(send(next, { type: 'token', hop: 0, end, entries }));
        }),
      },
    });
    const properties = [...withoutSteps(plain).properties, atMost(1_000_000, { per: 'acquire' })];
    const found = explore(withMachine(plain, mindful), ring(3), { order: 'fifo', properties });
    expect(found.complete).toBe(true);
    const verdicts = ['holds', 'holds', 'reached', 'holds', 'holds', 'violated', 'holds', 'holds'];
    expect(found.properties.map(({ verdict }) => verdict)).toEqual(verdicts);
  });

  it('one wish alone costs n … 2(n−1) messages, by how far the hunt has to go', () => {
    for (const n of [2, 3, 5, 9, 20]) {
      const names = ring(n).nodes;
      for (const [place, node] of names.entries()) {
        const { messages } = simulate({ protocol: plain, topology: ring(n), workload: closedLoop({ nodes: [node] }) });
        const hops = (n - place) % n;
        expect(messages).toEqual(hops === 0 ? {} : { hunt: hops, token: n - 1 });
      }
    }
  });

  it('at light load is (n−1)/n · (3n/2 − 1) on average, within 2 %, for n = 4 … 16', () => {
    for (const n of [4, 8, 16]) {
      const entries = 4096 / n;
      const result = simulate({
        protocol: plain,
        topology: ring(n),
        properties: [],
        workload: poisson({ mean: 10_000 * n * n, entries, hold: { kind: 'fixed', ms: 1 } }),
      });
      const ratio = totalMessages(result) / result.exclusion.entries.length / (((n - 1) / n) * (1.5 * n - 1));
      expect(ratio).toBeGreaterThan(0.98);
      expect(ratio).toBeLessThan(1.02);
    }
  });

  it('at heavy load is 2 messages per entry for n = 2 … 64, but for the first: a hop, and a hunt that the next node does not pass on', () => {
    for (const n of [2, 3, 4, 8, 16, 64]) {
      const workload = closedLoop({ entries: 40, think: { kind: 'fixed', ms: 0 } });
      const { exclusion, messages } = simulate({ protocol: plain, topology: ring(n), workload });
      expect(exclusion.entries).toHaveLength(40 * n);
      expect(messages).toEqual({ hunt: 40 * n - 1, token: 40 * n - 1 });
    }
  });
});
