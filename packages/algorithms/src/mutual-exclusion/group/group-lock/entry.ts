import { entryOf } from '../../../entry.js';
import { groupLockOptions } from './group-lock.js';
import { groupLock } from './protocol.js';

export const entry = entryOf(
  'mutual-exclusion/group',
  (options = {}) => groupLock(options),
  groupLockOptions,
  [],
  { group: 'C5' },
);
