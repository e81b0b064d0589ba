import { entryOf } from '../../../entry.js';
import { holderOptions } from '../../../options.js';
import { huntedToken } from './protocol.js';

export const entry = entryOf(
  'mutual-exclusion/token',
  (options = {}) => huntedToken(options),
  holderOptions,
);
