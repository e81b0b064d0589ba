import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonical, sameData } from './canonical.js';

/** The same data, with the keys of every object in reverse order. */
const turned = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(turned);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).reverse();
  return Object.fromEntries(entries.map(([key, item]) => [key, turned(item)]));
};

// −0 becomes 0
const data = fc.jsonValue().map((value): unknown => JSON.parse(JSON.stringify(value)));
const small = fc.oneof(
  fc.constantFrom(null, 0, '', [], {}, [null], { a: null }, { a: [] }, { a: {} }, '[]', '0', {
    a: 0,
    b: 1,
  }),
  data,
);

describe('canonical text', () => {
  it('reads as JSON with sorted keys', () => {
    expect(canonical({ b: 1, a: [1, { d: null, c: 'x"' }] })).toBe(
      '{"a":[1,{"c":"x\\"","d":null}],"b":1}',
    );
    expect(canonical({ a: undefined, b: 1 })).toBe('{"b":1}');
  });

  it('is equal exactly for equal data, in any order of keys', () => {
    fc.assert(
      fc.property(
        data,
        (value) => canonical(turned(value)) === canonical(value) && sameData(turned(value), value),
      ),
    );
    fc.assert(
      fc.property(small, small, (a, b) => {
        expect(canonical(a) === canonical(b)).toBe(isDeepStrictEqual(a, b));
        expect(sameData(a, b)).toBe(isDeepStrictEqual(a, b));
      }),
    );
  });
});
