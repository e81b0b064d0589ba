import { entryOf } from '../../../entry.js';
import { holderOptions } from '../building-blocks/holder.js';
import { suzukiKasami } from './protocol.js';

export const entry = entryOf(
  'mutual-exclusion/token',
  (options = {}) => suzukiKasami(options),
  holderOptions,
);
