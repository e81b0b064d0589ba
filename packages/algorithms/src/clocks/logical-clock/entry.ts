import { entryOf } from '../../entry.js';
import { logicalClock } from './protocol.js';

export const entry = entryOf(
  'clocks',
  (options = {}) => logicalClock(options),
  [{ name: 'clock', type: 'string', meaning: 'which clock the nodes have: lamport or vector' }],
  [{ clock: 'vector' }],
);
