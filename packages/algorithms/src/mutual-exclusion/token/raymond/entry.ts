import { entryOf } from '../../../entry.js';
import { raymond } from './protocol.js';
import { raymondOptions } from './raymond.js';

export const entry = entryOf('mutual-exclusion/token', raymond, raymondOptions, {
  charted: [{ piggyback: true }, { cancel: true }, { greedy: 1 }],
});
