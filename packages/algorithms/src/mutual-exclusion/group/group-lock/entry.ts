import { entryOf } from '../../../entry.js';
import { groupLockOptions } from './group-lock.js';
import { groupLock } from './protocol.js';

export const entry = entryOf('mutual-exclusion/group', groupLock, groupLockOptions, {
  parts: {
    group: 'C5',
  },
});
