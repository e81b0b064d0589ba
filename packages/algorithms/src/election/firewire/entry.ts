import { entryOf } from '../../entry.js';
import { firewire } from './protocol.js';

export const entry = entryOf(
  'election',
  (options = {}) => firewire(options),
  [
    { name: 'tieBreak', type: 'string', meaning: 'how contention ends: random, by waits of random length, or id, the larger id wins' },
    { name: 'pause', type: 'number', meaning: 'how long a node waits before it asks its last neighbour, in ms' },
    { name: 'short', type: 'number', meaning: 'the short wait after contention, in ms' },
    { name: 'long', type: 'number', meaning: 'the long wait after contention, in ms' },
  ],
  [{ tieBreak: 'id' }],
);
