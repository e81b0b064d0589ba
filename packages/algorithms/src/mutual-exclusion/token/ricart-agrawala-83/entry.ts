import { entryOf } from '../../../entry.js';
import { holderOptions } from '../building-blocks/holder.js';
import { ricartAgrawala83 } from './protocol.js';

export const entry = entryOf(
  'mutual-exclusion/token',
  (options = {}) => ricartAgrawala83(options),
  holderOptions,
);
