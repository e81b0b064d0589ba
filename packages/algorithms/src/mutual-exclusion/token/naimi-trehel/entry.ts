import { entryOf } from '../../../entry.js';
import { holderOptions } from '../../../options.js';
import { naimiTrehel } from './protocol.js';

export const entry = entryOf(
  'mutual-exclusion/token',
  (options = {}) => naimiTrehel(options),
  holderOptions,
);
