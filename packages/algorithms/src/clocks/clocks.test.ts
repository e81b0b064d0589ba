import type { VectorClock } from '@conclave/core/trace';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lamportClock, vectorClock } from './clock.js';

const vector: fc.Arbitrary<VectorClock> = fc.dictionary(
  fc.constantFrom('a', 'b', 'c'),
  fc.integer({ min: 1, max: 3 }),
);
const node = fc.constantFrom('a', 'b', 'c');

it('a Lamport clock passes its own earlier readings and each time stamp received', () => {
  fc.assert(
    fc.property(fc.nat(), fc.nat(), node, (clock, ts, self) => {
      expect(lamportClock.ticked(clock, self)).toBeGreaterThan(clock);
      expect(lamportClock.witnessed(clock, ts, self)).toBeGreaterThan(Math.max(clock, ts));
    }),
  );
});

describe('vector clock', () => {
  const { ticked, witnessed, isSmaller } = vectorClock;

  it('passes its own earlier readings and each time stamp received', () => {
    fc.assert(
      fc.property(vector, vector, node, (clock, ts, self) => {
        // no other node knows more about this one than itself
        fc.pre((ts[self] ?? 0) <= (clock[self] ?? 0));
        expect(isSmaller(clock, ticked(clock, self))).toBe(true);
        for (const before of [clock, ts])
          expect(isSmaller(before, witnessed(clock, ts, self))).toBe(true);
      }),
    );
  });

  it('counts one event of its own, and takes the larger of two entries', () => {
    expect(ticked({ b: 2 }, 'a')).toEqual({ a: 1, b: 2 });
    expect(witnessed({ a: 1, b: 2 }, { b: 1, c: 4 }, 'a')).toEqual({ a: 2, b: 2, c: 4 });
    expect(JSON.stringify(witnessed({ c: 1 }, { b: 1 }, 'a'))).toBe('{"a":1,"b":1,"c":1}');
  });

  it('orders its readings strictly and partially; a missing entry is 0', () => {
    let smaller = 0;
    let neither = 0;
    fc.assert(
      fc.property(vector, vector, vector, (x, y, z) => {
        expect(isSmaller(x, x)).toBe(false);
        expect(isSmaller(x, y) && isSmaller(y, x)).toBe(false);
        if (isSmaller(x, y) && isSmaller(y, z)) expect(isSmaller(x, z)).toBe(true);
        if (isSmaller(x, y)) smaller++;
        else if (!isSmaller(y, x)) neither++;
      }),
    );
    expect(Math.min(smaller, neither)).toBeGreaterThan(5);
    expect([
      isSmaller({}, { a: 1 }),
      isSmaller({ a: 1 }, {}),
      isSmaller({ a: 1 }, { b: 1 }),
    ]).toEqual([true, false, false]);
  });
});
