import { entryOf } from '../../entry.js';
import { bully } from './protocol.js';

export const entry = entryOf(
  'election',
  (options = {}) => bully(options),
  [
    { name: 'timeout', type: 'number', meaning: 'how long a node waits for an answer, in ms' },
    {
      name: 'detector',
      type: 'boolean',
      meaning: 'nodes watch larger ones by heartbeats, and hold an election when they suspect the leader',
    },
    { name: 'period', type: 'number', meaning: 'with detector: the time between two heartbeats, in ms' },
    { name: 'silence', type: 'number', meaning: 'with detector: after how long without a heartbeat a node is suspected, in ms' },
    { name: 'electAtStart', type: 'boolean', meaning: 'a node holds an election at its first start, too' },
  ],
  [{ detector: true }],
);
