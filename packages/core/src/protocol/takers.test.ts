import { expect, it } from 'vitest';
import { complete, star } from '../topology/generators.js';
import { calls, centralLock } from './examples.contract.js';
import { takersOf } from './takers.js';

it('tells the nodes that take a command in some state', () => {
  expect(takersOf(centralLock, star(4), 'acquire')).toEqual(['b', 'c', 'd']);
  expect(takersOf(centralLock, star(4), 'release')).toEqual(['b', 'c', 'd']);
  expect(takersOf(centralLock, star(4), 'elect')).toEqual([]);
  expect(takersOf(calls, complete(3), 'call')).toEqual(['a', 'b', 'c']);
});
