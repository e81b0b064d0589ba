import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Interval, isInterval, overlap } from './interval-reservation.js';

const interval = fc
  .tuple(fc.nat(9), fc.integer({ min: 1, max: 5 }))
  .map(([from, length]): Interval => ({ from, to: from + length }));

it('intervals overlap where some moment is in both, in either order of the arguments', () => {
  fc.assert(
    fc.property(interval, interval, (one, other) => {
      const common = Array.from({ length: 20 }, (_, at) => at).some((at) =>
        [one, other].every(({ from, to }) => from <= at && at < to),
      );
      expect([overlap(one, other), overlap(other, one)]).toEqual([common, common]);
    }),
  );
});

it('intervals that only touch do not overlap', () => {
  expect(overlap({ from: 628, to: 737 }, { from: 737, to: 780 })).toBe(false);
});

it('an interval has a beginning and an end', () => {
  expect([{ from: 1, to: 2 }, { from: 1 }, null, 3].map(isInterval)).toEqual([
    true,
    false,
    false,
    false,
  ]);
});
