/** The mean of the literature, exactly: over all orders of the ids on the ring. */
import { expected } from '@conclave/core/exploration';
import type { NodeId } from '@conclave/core/protocol';
import { ring } from '@conclave/core/topology';
import { quickOf } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import {
  extremesOf,
  type Fraction,
  over,
  sum,
  text,
  whole,
} from '../../contract/fraction.contract.js';
import { withMachine, withState } from '../../contract/mutant.js';
import { machine } from './lelann-chang-roberts.js';
import { lelannChangRoberts } from './protocol.js';

/** All orders of the nodes; on a ring, the last one may stay where it is. */
function ordersOf(nodes: readonly NodeId[]): readonly (readonly NodeId[])[] {
  const [first, ...others] = nodes;
  if (first === undefined) return [[]];
  return ordersOf(others).flatMap((order) =>
    Array.from({ length: nodes.length }, (_, place) => order.toSpliced(place, 0, first)),
  );
}
const ringsOf = (size: number) => {
  const [first = '', ...others] = ring(size).nodes;
  return ordersOf(others).map((order) => ring([first, ...order]));
};

/** All nodes have started before the first message arrives. */
const together = withMachine(
  lelannChangRoberts,
  withState(withState(machine, [], { initial: 'active' }), ['active'], { entry: 'candidate' }),
);

/** n · (1 + 1/2 + … + 1/n) */
const literature = (size: number): Fraction =>
  sum(Array.from({ length: size }, (_, index) => over(whole(size), whole(index + 1))));

const cost = 'election';
const meanOf = (wholes: readonly number[]) =>
  text(over(sum(wholes.map(whole)), whole(wholes.length)));

describe('lelann-chang-roberts: the messages that decide, over all orders of ids', () => {
  it.each(
    quickOf(
      [
        [2, '3'],
        [3, '11/2'],
        [4, '25/3'],
        [5, '137/12'],
        [6, '147/10'],
      ],
      ([size]) => size <= 4,
    ),
  )('are n·H_n on average on rings of %i: %s', (size, mean) => {
    const costs = ringsOf(size).map((topology) => {
      const options = { cost, commands: 0 };
      const fifo = expected(together, topology, { ...options, order: 'fifo' });
      const [least, greatest] = extremesOf(fifo.expectation);
      // in whatever order the nodes take their steps
      expect(least).toBe(greatest);
      return Number(least);
    });
    expect([meanOf(costs), text(literature(size))]).toEqual([mean, mean]);
    expect([Math.min(...costs), Math.max(...costs)]).toEqual([
      2 * size - 1,
      (size * (size + 1)) / 2,
    ]);
  });

  it('are fewer where messages overtake each other: a relay stops smaller ids', () => {
    const falling = expected(together, ring(['a', 'c', 'b']), { cost, commands: 0 });
    expect(extremesOf(falling.expectation)).toEqual(['5', '6']);
  });

  it.each(
    quickOf(
      [
        [3, '11/2'],
        [4, '25/3'],
      ],
      ([size]) => size <= 3,
    ),
  )('are at most that on rings of %i where a scheduler decides who starts when', (size, mean) => {
    const costs = ringsOf(size).map((topology) =>
      extremesOf(expected(lelannChangRoberts, topology, { cost }).expectation).map(Number),
    );
    expect(meanOf(costs.map(([, greatest = 0]) => greatest))).toBe(mean);
    // one node starts, the one with the largest id
    expect(costs.map(([least]) => least)).toEqual(costs.map(() => size));
  });
});
