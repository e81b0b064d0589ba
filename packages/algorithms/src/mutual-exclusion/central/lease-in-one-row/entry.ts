import { entryOf } from '../../../entry.js';
import { leaseInOneRow } from './protocol.js';
import { leaseInOneRowOptions } from './settings.js';

export const entry = entryOf('mutual-exclusion/central', leaseInOneRow, leaseInOneRowOptions, [
  { clock: true },
  { cancel: true },
]);
