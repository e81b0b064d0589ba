import { explore } from '@conclave/check';
import { complete } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { causalOrder, fifoOrder, totalOrder } from './multicast.js';
import { multicast } from './multicast-by-order.js';

describe('multicast', () => {
  it.each([
    [{}, 'acknowledged-multicast'],
    [{ order: 'fifo', reliability: 'negative' }, 'negative-multicast'],
    [{ order: 'fifo', reliability: 'channels' }, 'causal-multicast'],
    [{ order: 'causal' }, 'causal-multicast'],
    [{ order: 'total', reliability: 'channels' }, 'total-multicast'],
  ] as const)('picks the protocol for %o: %s', (options, name) => {
    expect(multicast(options).name).toBe(name);
  });

  proof('each order is stronger than the one before it', () => {
    const orders = [fifoOrder, causalOrder, totalOrder];
    const verdicts = (['fifo', 'causal', 'total'] as const).map((order) => {
      const options = { initiators: ['a', 'b'], properties: orders, limits: { states: 20_000 } };
      const { complete: isComplete, properties } = explore(
        multicast({ order, reliability: 'channels' }),
        complete(3),
        options,
      );
      return [isComplete, ...properties.slice(0, 3).map(({ verdict }) => verdict)];
    });
    expect(verdicts).toEqual([
      [true, 'holds', 'violated', 'violated'],
      [true, 'holds', 'holds', 'violated'],
      [true, 'holds', 'holds', 'holds'],
    ]);
  });

  it('refuses what there is not', () => {
    expect(() => multicast({ order: 'lifo' as 'fifo' })).toThrow(
      "multicast: order is 'lifo'. Give one of 'fifo', 'causal', 'total'.",
    );
    expect(() => multicast({ order: 'total', reliability: 'negative' })).toThrow(
      "there is no order 'total' with reliability 'negative'. Give channels; the links of reliable lose nothing.",
    );
  });
});
