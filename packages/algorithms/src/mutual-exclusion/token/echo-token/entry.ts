import { entryOf } from '../../../entry.js';
import { holderOptions } from '../building-blocks/holder.js';
import { echoToken } from './protocol.js';

export const entry = entryOf(
  'mutual-exclusion/token',
  (options = {}) => echoToken(options),
  holderOptions,
);
