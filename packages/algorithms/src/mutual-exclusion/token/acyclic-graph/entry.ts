import { entryOf } from '../../../entry.js';
import { acyclicGraphOptions } from './acyclic-graph.js';
import { acyclicGraph } from './protocol.js';

export const entry = entryOf('mutual-exclusion/token', acyclicGraph, acyclicGraphOptions, {
  charted: [
    { reversal: 'acknowledged', startUp: 'given' },
    { reversal: 'numbered', startUp: 'given' },
    { edge: 'any', startUp: 'given' },
    { greedy: 1, startUp: 'given' },
  ],
});
