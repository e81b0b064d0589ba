import { expect, it } from 'vitest';
import { labelledGraphs, labelledTrees } from './labelled-graphs.contract.js';

it('gives the published numbers of connected graphs, and of trees (Cayley)', () => {
  expect([2, 3, 4].map((n) => labelledGraphs(n).length)).toEqual([1, 4, 38]);
  expect([2, 3, 4, 5].map((n) => labelledTrees(n).length)).toEqual([1, 3, 16, 125]);
});
