import { expect, it } from 'vitest';
import { noteAt, withNote } from './presentation.js';

it('a note stays until the next one', () => {
  const notes = { 2: 'two', 10: 'ten' };
  expect([0, 1, 2, 9, 10, 99].map((depth) => noteAt(notes, depth))).toEqual([
    undefined,
    undefined,
    'two',
    'two',
    'ten',
    'ten',
  ]);
});

it('an empty text is no note', () => {
  expect(withNote({ 2: 'two' }, 3, 'three')).toEqual({ 2: 'two', 3: 'three' });
  expect(withNote({ 2: 'two' }, 2, ' ')).toEqual({});
});
