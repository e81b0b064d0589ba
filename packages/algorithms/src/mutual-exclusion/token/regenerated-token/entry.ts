import { entryOf } from '../../../entry.js';
import { regeneratedTokenOptions } from './options.js';
import { regeneratedToken } from './protocol.js';

export const entry = entryOf(
  'mutual-exclusion/token',
  (options = {}) => regeneratedToken(options),
  regeneratedTokenOptions,
  [{ coordinator: 'a' }],
);
