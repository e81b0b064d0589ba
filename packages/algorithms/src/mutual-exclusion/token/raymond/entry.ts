import { entryOf } from '../../../entry.js';
import { raymondOptions } from './options.js';
import { raymond } from './protocol.js';

export const entry = entryOf(
  'mutual-exclusion/token',
  (options = {}) => raymond(options),
  raymondOptions,
  [{ piggyback: true }, { cancel: true }, { greedy: 1 }],
);
