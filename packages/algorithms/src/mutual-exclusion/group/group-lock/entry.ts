import { entryOf } from '../../../entry.js';
import { groupLock, groupLockOptions } from './protocol.js';

export const entry = entryOf('mutual-exclusion/group', (options = {}) => groupLock(options), groupLockOptions, [], { group: 'C5' });
