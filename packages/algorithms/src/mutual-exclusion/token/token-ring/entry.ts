import { entryOf } from '../../../entry.js';
import { tokenRingOptions } from './options.js';
import { tokenRing } from './protocol.js';

export const entry = entryOf(
  'mutual-exclusion/token',
  (options = {}) => tokenRing(options),
  tokenRingOptions,
  [{ cancel: true }],
);
