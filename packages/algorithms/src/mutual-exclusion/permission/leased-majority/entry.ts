import { entryOf } from '../../../entry.js';
import { leasedMajority, leasedMajorityOptions } from './protocol.js';

export const entry = entryOf('mutual-exclusion/permission', (options = {}) => leasedMajority(options), leasedMajorityOptions, [
  { cancel: true },
]);
