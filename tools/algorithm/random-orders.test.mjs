import { protocolOf } from '@conclave/algorithms';
import { hypercube, ring } from '@conclave/core/topology';
import { describe, expect, it } from 'vitest';
import { electedInRandomOrders, inOrder, meanText } from './random-orders.mjs';

describe('elections in random orders of the ids', () => {
  it('are held on the same network, whose ports keep their places', () => {
    const cube = hypercube(2);
    const ids = cube.nodes.toReversed();
    const reversed = inOrder(cube, ids);
    expect(reversed.nodes).toEqual(ids);
    for (const [at, id] of cube.nodes.entries())
      for (const { port, to } of cube.linksFrom(id))
        expect(reversed.at(ids[at], port)).toBe(ids[cube.nodes.indexOf(to)]);
  });

  it('cost n·H_n + n messages with LeLann–Chang–Roberts, within three intervals', () => {
    const protocol = protocolOf('B3');
    const { messages, delays } = electedInRandomOrders(protocol, ring(4), 4, 60);
    const [mean, error] = messages.split(' ± ').map(Number);
    expect(Math.abs(mean - (25 / 3 + 4))).toBeLessThan(3 * error);
    expect(error).toBeLessThan(0.5);
    expect(delays).toBe('8');
  });

  it('have a mean with an interval, or one number where all are the same', () => {
    expect(meanText([3, 3, 3])).toBe('3');
    expect(meanText([1, 2, 3])).toBe(`2.0 ± ${(1.96 / Math.sqrt(3)).toFixed(1)}`);
  });
});
