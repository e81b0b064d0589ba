import { entryOf } from '../../../entry.js';
import { holderOptions } from '../../../options.js';
import { treeToken } from './protocol.js';

export const entry = entryOf(
  'mutual-exclusion/token',
  (options = {}) => treeToken(options),
  holderOptions,
);
