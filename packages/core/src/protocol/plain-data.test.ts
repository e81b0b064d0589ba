import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { copyOf, differenceOf, frozenData, impure, notPlain, placeOf } from './plain-data.js';

describe('notPlain', () => {
  class Queue {}

  it.each<[string, unknown]>([
    ['an instance of Map', new Map()],
    ['an instance of Set', new Set([1])],
    ['an instance of Queue', new Queue()],
    ['an instance of Date', new Date(0)],
    ['an instance of Array', Object.setPrototypeOf([1], [])],
    ['an instance of no class', Object.create(null)],
    ['undefined', undefined],
    ['NaN', NaN],
    ['-Infinity', -Infinity],
    ['a bigint', 1n],
    ['a symbol', Symbol('x')],
    ['a function', () => 1],
    ['an instance of Uint8Array', new Uint8Array(2)],
    ['an instance of String', Object('x')],
  ])('finds and names %s, on the outside and deep inside', (what, value) => {
    expect(notPlain(value)).toBe(`value (${what})`);
    expect(notPlain(value, 'context')).toBe(`context (${what})`);
    expect(notPlain({ a: 1, b: [0, { c: value }] }, 'context')).toBe(`context.b[1].c (${what})`);
    expect(notPlain({ queue: [1, value] })).toBe(`queue[1] (${what})`);
    expect(notPlain([[], [value]], 'x')).toBe(`x[1][0] (${what})`);
  });

  it('finds a hole in an array', () => {
    const holed = [1, 2, 3];
    delete holed[1];
    expect(notPlain(holed, 'list')).toBe('list[1] (a hole)');
  });

  it('finds what JSON would omit or call: symbols, hidden fields, accessors, fields of an array', () => {
    expect(notPlain({ [Symbol('x')]: 1 }, 'c')).toBe('c.Symbol(x) (a symbol as a key)');
    expect(notPlain(Object.defineProperty({}, 'hidden', { value: 1 }), 'c')).toBe(
      'c.hidden (a hidden field)',
    );
    expect(notPlain({ a: { get now() { return 1; } } }, 'c')).toBe('c.a.now (an accessor)'); // biome-ignore format: it is one line
    expect(notPlain(Object.assign([1], { more: 2 }), 'c')).toBe('c.more (a field of an array)');
  });

  it('finds a cycle, and data that is 2,000 levels deep', () => {
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    expect(notPlain(circle)).toMatch(
      /^self\.self\..*… \(nested more than 200 deep, or holding itself\)$/,
    );
    let deep: unknown = 1;
    for (let level = 0; level < 2000; level++) deep = [deep];
    expect(notPlain(deep, 'x')).toMatch(/nested more than 200 deep/);
  });

  it('accepts a field called __proto__, and numbers beyond 2^53', () => {
    expect(notPlain(JSON.parse('{"__proto__": {"a": 1}, "n": 9007199254740993}'))).toBeUndefined();
    expect(notPlain(JSON.parse('{"__proto__": [null]}'))).toBeUndefined();
  });

  it('names the first of several', () => {
    expect(notPlain({ a: [null, true], b: NaN, c: undefined })).toBe('b (NaN)');
  });

  it('accepts all JSON values', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => notPlain(value) === undefined));
    expect(notPlain({ a: [0, -1.5, '', null, true, [{}]] })).toBeUndefined();
  });
});

describe('frozenData', () => {
  const refuse = (path: string) => new Error(path);

  it('freezes at all depths, also where only the outer object was frozen', () => {
    const inner = { list: [{ a: 1 }] };
    const data = frozenData(Object.freeze({ inner }), 'x', refuse);
    expect(() => inner.list.push({ a: 2 })).toThrow(
      'Cannot add property 1, object is not extensible',
    );
    expect(() => Object.assign(data.inner.list[0] ?? {}, { a: 2 })).toThrow('read only');
  });

  it('makes 0 of -0, in a copy', () => {
    const given = { n: -0, list: [1, -0] };
    const data = frozenData(given, 'x', refuse);
    expect([Object.is(data.n, 0), Object.is(data.list[1], 0), Object.is(given.n, -0)]).toEqual([
      true,
      true,
      true,
    ]);
  });

  it('refuses data that is not plain', () => {
    expect(() => frozenData({ a: [NaN] }, 'x', refuse)).toThrow('x.a[0]');
  });
});

it('finds data that is too deep in parts that are already checked', () => {
  const refuse = (path: string) => new Error(path);
  let deep: unknown = [];
  const wrap = () => {
    deep = frozenData([deep], '', refuse);
  };
  for (let count = 0; count < 200; count++) wrap();
  expect(wrap).toThrow(/nested more than 200 deep/);
});

it('a change is reported by its path', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(copyOf(value)).toEqual(value);
      expect(differenceOf(value, copyOf(value))).toBeUndefined();
    }),
  );
  expect(differenceOf({ a: [1, { b: 2 }] }, { a: [1, { b: 3 }] })).toBe(
    'a[1].b was 2 and became 3',
  );
  expect(differenceOf({ a: 1 }, { a: 1, c: [] }, 'state')).toBe(
    'state.c was nothing and became []',
  );
  expect(differenceOf([], {})).toBe('it was [] and became {}');
});

describe('the place of an error', () => {
  it('is in the code of the user, not in that of this package', () => {
    const error = impure('Node a', 'context.queue'); // it is made in plain-data.ts
    expect(error.stack).toMatch(/protocol\/plain-data\.ts:/);
    expect(placeOf(error)).toMatch(/^ \(plain-data\.test\.ts:\d+:\d+\)$/);
  });

  it('is empty where the stack does not say', () => {
    expect(placeOf(Object.assign(new Error('no stack'), { stack: 'Error: no stack' }))).toBe('');
  });
});
