import { expect, it } from 'vitest';
import { byId, entriesById, ofNode } from './by-node.js';

it('ids are ordered as strings', () => {
  const ids = ['9', 'b', '10', 'ä', 'B', '2', '😀', '\uffee'];
  expect(ids.toSorted(byId)).toEqual(['10', '2', '9', 'B', 'b', 'ä', '😀', '\uffee']);
  expect(ids.toSorted(byId)).toEqual(ids.toSorted());
  expect(byId('a', 'a')).toBe(0);
});

it('a record has only its own entries', () => {
  for (const id of ['constructor', '__proto__', 'toString']) {
    expect(ofNode({ a: 1 }, id)).toBeUndefined();
    expect(ofNode({ a: 1, [id]: 2 }, id)).toBe(2);
  }
});

it('entries come in the order of the ids, whole numbers too', () => {
  expect(entriesById({ b: 1, 2: 2, 10: 3, ['__proto__']: 4 })).toEqual([
    ['10', 3],
    ['2', 2],
    ['__proto__', 4],
    ['b', 1],
  ]);
});
