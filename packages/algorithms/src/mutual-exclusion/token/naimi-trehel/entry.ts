import { entryOf } from '../../../entry.js';
import { holderOptions } from '../building-blocks/holder.js';
import { naimiTrehel } from './protocol.js';

export const entry = entryOf(
  'mutual-exclusion/token',
  (options = {}) => naimiTrehel(options),
  holderOptions,
);
