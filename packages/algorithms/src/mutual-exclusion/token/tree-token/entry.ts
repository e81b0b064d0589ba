import { entryOf } from '../../../entry.js';
import { holderOptions } from '../building-blocks/holder.js';
import { treeToken } from './protocol.js';

export const entry = entryOf(
  'mutual-exclusion/token',
  (options = {}) => treeToken(options),
  holderOptions,
);
