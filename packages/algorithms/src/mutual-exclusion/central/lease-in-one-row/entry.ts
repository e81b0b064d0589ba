import { entryOf } from '../../../entry.js';
import { leaseInOneRow, leaseInOneRowOptions } from './protocol.js';

export const entry = entryOf('mutual-exclusion/central', leaseInOneRow, leaseInOneRowOptions, [
  { clock: true },
  { cancel: true },
]);
