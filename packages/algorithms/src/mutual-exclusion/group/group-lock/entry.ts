import { entryOf } from '../../../entry.js';
import { groupLock } from './protocol.js';

export const entry = entryOf(
  'mutual-exclusion/group',
  (options = {}) => groupLock(options),
  [{ name: 'window', type: 'number', meaning: 'a member acknowledges each message of the sequencer with a multiple of this number' }],
  [],
  { group: 'C5' },
);
