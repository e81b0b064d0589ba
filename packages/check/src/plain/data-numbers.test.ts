/** Numbers of data against the text that defines when data is the same: `canonical`. */
import { notPlain } from '@conclave/core/internal';
import { assertRuns } from '@conclave/tools/sample';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonical } from '../worlds/canonical.js';
import { DataNumbers, PlainStates } from './data-numbers.js';

/** Small, so that much of it is equal; with keys in any order, and some that are odd. */
const { data } = fc.letrec<{ data: unknown }>((tie) => ({
  data: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<unknown>(null, false, true, 0, -0, 1, '', '0', 'a', '1'),
    fc.constantFrom('{"a":1,"b":2}', '{"b":2,"a":1}').map((text): unknown => JSON.parse(text)),
    fc.array(tie('data'), { maxLength: 3 }),
    fc
      .uniqueArray(
        fc.tuple(fc.constantFrom('a', 'b', '0', '__proto__', 'constructor'), tie('data')),
        { maxLength: 3, selector: ([key]) => key },
      )
      .map((fields) => Object.fromEntries(fields)),
  ),
}));
const list = fc.array(data, { minLength: 2, maxLength: 20 });

it('are equal exactly where the data is, whatever the order of keys, also of parts that are known', () => {
  assertRuns(
    fc.property(list, fc.boolean(), (values, isStrict) => {
      const numbers = new DataNumbers();
      numbers.isStrict = isStrict;
      const byText = new Map<string, number>();
      for (const value of values) {
        const number = numbers.of(value);
        expect(byText.get(canonical(value)) ?? number).toBe(number);
        byText.set(canonical(value), number);
        expect(numbers.ofShared(value)).toBe(number);
        const holder = numbers.of({ held: [value, 'more'] }); // its parts are known
        expect(numbers.of(structuredClone({ held: [value, 'more'] }))).toBe(holder);
      }
      expect(new Set(byText.values()).size).toBe(byText.size);
    }),
    500,
    20_000,
  );
});

it('states have those of their first finding, and each further order of keys is kept once', () => {
  assertRuns(
    fc.property(list, (values) => {
      const states = new PlainStates<unknown>();
      const found = new Map<string, number>();
      const orders = new Set<string>();
      const reordered: unknown[] = [];
      for (const value of values.flatMap((one) => [one, [one]])) {
        const [text, order] = [canonical(value), JSON.stringify(value)];
        const id = found.get(text) ?? found.size;
        if (found.has(text) && !orders.has(order)) reordered.push({ id, state: value });
        found.set(text, id);
        orders.add(order);
        expect(states.id(value, (state) => state)).toBe(id);
        states.begin(value, false); // the next one may have it as a part
      }
      expect(states.items).toHaveLength(found.size);
      expect(states.reordered).toEqual(reordered);
      expect(states.reordered.map(({ state }) => JSON.stringify(state))).toEqual(
        reordered.map((one) => JSON.stringify((one as { state: unknown }).state)),
      );
    }),
    500,
    20_000,
  );
});

describe('data that is not plain has none', () => {
  const hidden = (holder: object, more: PropertyDescriptor & ThisType<unknown>) =>
    Object.defineProperty(holder, 'x', { configurable: true, ...more });
  const loop: unknown[] = [];
  loop.push(loop);

  it.each<[string, unknown]>([
    ['NaN', Number.NaN],
    ['an infinity in a list', [1, Number.NEGATIVE_INFINITY]],
    ['undefined as a field', { a: undefined }],
    ['a hole', Object.assign([], { 1: 1 })],
    ['a function', { a: () => 0 }],
    ['a symbol', [Symbol('a')]],
    ['a BigInt', 1n],
    ['a Map', new Map()],
    ['a date', { at: new Date(0) }],
    ['an array of a subclass', new (class extends Array {})()],
    ['an object without a prototype', Object.create(null)],
    ['a list that contains itself', loop],
  ])('%s', (_, value) => {
    expect(notPlain(value)).toBeDefined();
    expect(new DataNumbers().of(value)).toBe(-1);
  });

  it.each<[string, object]>([
    ['an accessor', hidden({}, { get: () => 1, enumerable: true })],
    ['a hidden field', hidden({}, { value: 1 })],
    ['a symbol as a key', { [Symbol('a')]: 1 }],
    ['a field of a list', hidden([1], { value: 1, enumerable: true })],
    ['a hidden field of a list', hidden([1], { value: 1 })],
    ['an accessor in a list', Object.defineProperty([1], 0, { get: () => 1 })],
  ])('%s, where the look is strict', (_, value) => {
    const numbers = new DataNumbers();
    numbers.isStrict = true;
    expect(notPlain(value)).toBeDefined();
    expect(numbers.of({ inner: [value] })).toBe(-1);
  });
});
