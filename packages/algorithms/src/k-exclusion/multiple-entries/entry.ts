import { entryOf } from '../../entry.js';
import { multipleEntriesOptions } from './multiple-entries.js';
import { multipleEntries } from './protocol.js';

export const entry = entryOf('k-exclusion', multipleEntries, multipleEntriesOptions, {
  charted: [{ cancel: true }],
});
