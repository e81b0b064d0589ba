import { entryOf } from '../../../entry.js';
import { leasedMajority } from './protocol.js';
import { leasedMajorityOptions } from './settings.js';

export const entry = entryOf('mutual-exclusion/permission', leasedMajority, leasedMajorityOptions, {
  charted: [{ cancel: true }, { lease: 5_000, renewal: 2_000, keep: 3_000 }],
});
