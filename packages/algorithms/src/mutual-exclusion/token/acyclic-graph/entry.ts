import { entryOf, holder } from '../../../entry.js';
import { acyclicGraph } from './protocol.js';

export const entry = entryOf(
  'mutual-exclusion/token',
  (options = {}) => acyclicGraph(options),
  [
    { name: 'reversal', type: 'string', meaning: 'which edges are reversed: travelled, acknowledged, numbered, or all, which is wrong' },
    { name: 'edge', type: 'string', meaning: 'the outgoing edge over which a node asks: first or any' },
    { name: 'startUp', type: 'string', meaning: 'how nodes learn their edges: wave, from an echo wave, or given' },
    holder,
  ],
  [
    { reversal: 'acknowledged', startUp: 'given' },
    { reversal: 'numbered', startUp: 'given' },
    { edge: 'any', startUp: 'given' },
  ],
);
