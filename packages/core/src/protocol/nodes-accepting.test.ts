import { expect, it } from 'vitest';
import { complete, star } from '../topology/generators.js';
import { calls, centralLock } from './examples.contract.js';
import { nodesAccepting } from './handles.js';

it('lists the nodes that accept a command in some state', () => {
  expect(nodesAccepting(centralLock, star(4), 'acquire')).toEqual(['b', 'c', 'd']);
  expect(nodesAccepting(centralLock, star(4), 'release')).toEqual(['b', 'c', 'd']);
  expect(nodesAccepting(centralLock, star(4), 'elect')).toEqual([]);
  expect(nodesAccepting(calls, complete(3), 'call')).toEqual(['a', 'b', 'c']);
});
