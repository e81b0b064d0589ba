import { entryOf } from '../../entry.js';
import { acknowledgedMulticast } from './protocol.js';

export const entry = entryOf(
  'groups',
  (options = {}) => acknowledgedMulticast(options),
  [
    { name: 'relay', type: 'string', meaning: 'when a member sends on what it gets: first (receipt), silence (of the origin), or never' },
    { name: 'timeout', type: 'number', meaning: 'how long a member waits for answers before it sends again, in ms' },
    { name: 'retransmissions', type: 'number', meaning: 'how often a member sends again before it gives up' },
    { name: 'patience', type: 'number', meaning: 'with relay silence: how long a member waits for the origin, in ms' },
  ],
  [{ relay: 'silence' }],
);
