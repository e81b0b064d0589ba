import { entryOf } from '../../../entry.js';
import { holderOptions } from '../../../options.js';
import { echoToken } from './protocol.js';

export const entry = entryOf(
  'mutual-exclusion/token',
  (options = {}) => echoToken(options),
  holderOptions,
);
