import { entryOf } from '../../../entry.js';
import { holderOptions } from '../building-blocks/holder.js';
import { huntedToken } from './protocol.js';

export const entry = entryOf(
  'mutual-exclusion/token',
  (options = {}) => huntedToken(options),
  holderOptions,
);
