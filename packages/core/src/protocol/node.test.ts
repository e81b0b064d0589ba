import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ConclaveError } from './error.js';
import { choose, notify, send } from './node.js';
import { notPlain } from './plain-data.js';

describe('effects', () => {
  it('are plain data', () => {
    expect(send('b', { type: 'request', ts: 1 })).toEqual({ type: 'send', to: 'b', message: { type: 'request', ts: 1 } });
    expect(notify({ type: 'entered' })).toEqual({ type: 'notify', notification: { type: 'entered' } });
    expect(choose(1, 'two', null)).toEqual({ type: 'choose', options: [1, 'two', null] });
  });
});

describe('notPlain', () => {
  class Queue {}

  it.each<[string, unknown]>([
    ['a Map', new Map()],
    ['a Set', new Set([1])],
    ['an instance of a class', new Queue()],
    ['a Date', new Date(0)],
    ['undefined', undefined],
    ['NaN', NaN],
    ['an infinite number', -Infinity],
    ['a bigint', 1n],
    ['a symbol', Symbol('x')],
    ['a function', () => 1],
    ['an object without prototype', Object.create(null)],
    ['a typed array', new Uint8Array(2)],
    ['a boxed string', Object('x')],
  ])('finds %s, on the outside and deep inside', (_what, value) => {
    expect(notPlain(value)).toBe('value');
    expect(notPlain(value, 'context')).toBe('context');
    expect(notPlain({ a: 1, b: [0, { c: value }] }, 'context')).toBe('context.b[1].c');
    expect(notPlain({ queue: [1, value] })).toBe('queue[1]');
    expect(notPlain([[], [value]], 'x')).toBe('x[1][0]');
  });

  it('finds a hole in an array', () => {
    const holed = [1, 2, 3];
    delete holed[1];
    expect(notPlain(holed, 'list')).toBe('list[1]');
  });

  it('names the first of several', () => {
    expect(notPlain({ a: [null, true], b: NaN, c: undefined })).toBe('b');
  });

  it('takes whatever JSON can say', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => notPlain(value) === undefined));
    expect(notPlain({ a: [0, -1.5, '', null, true, [{}]] })).toBeUndefined();
  });
});

describe('ConclaveError', () => {
  it('says what, then what to try, and keeps both and the cause', () => {
    const cause = new Error('deep down');
    const error = new ConclaveError('bad-input', 'It is wrong', 'Do it right.', { cause });
    expect(error).toMatchObject({ name: 'ConclaveError', code: 'bad-input', cure: 'Do it right.', cause });
    expect(error.message).toBe('It is wrong. Do it right.');
    expect(new ConclaveError('closed', 'It is over').message).toBe('It is over');
  });
});
