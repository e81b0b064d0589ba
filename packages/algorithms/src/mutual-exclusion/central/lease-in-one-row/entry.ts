import { entryOf } from '../../../entry.js';
import { leaseInOneRowOptions } from './lease-in-one-row.js';
import { leaseInOneRow } from './protocol.js';

export const entry = entryOf('mutual-exclusion/central', leaseInOneRow, leaseInOneRowOptions, {
  charted: [{ clock: true }, { cancel: true }],
});
