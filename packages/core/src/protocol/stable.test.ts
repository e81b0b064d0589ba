import { expect, it } from 'vitest';
import { hasField, inputAgain } from './stable.js';

const input = { self: 'a', epoch: 0, part: { self: 'a', entries: 0 } };
const context = { self: 'a', epoch: 3, rest: 7, part: { entries: 5, queue: ['b'] } };

it('a node that restarts gets its first input, and its stable fields', () => {
  expect(inputAgain(input, context, [])).toEqual(input);
  expect(inputAgain(input, context, ['epoch'])).toEqual({ ...input, epoch: 3 });
  expect(inputAgain(input, context, ['rest'])).toEqual({ ...input, rest: 7 });
});

it('also a composed part, with its other fields as in the first input', () => {
  expect(inputAgain(input, context, ['epoch', 'part.entries'])).toEqual({
    self: 'a',
    epoch: 3,
    part: { self: 'a', entries: 5 },
  });
  expect(inputAgain({ part: null }, context, ['part.entries'])).toEqual({ part: { entries: 5 } });
});

it('returns whether there is such a field', () => {
  expect(['epoch', 'part', 'part.entries'].map((field) => hasField(context, field))).toEqual([
    true,
    true,
    true,
  ]);
  expect(
    ['age', 'part.age', 'epoch.part', 'constructor'].map((field) => hasField(context, field)),
  ).toEqual([false, false, false, false]);
});
