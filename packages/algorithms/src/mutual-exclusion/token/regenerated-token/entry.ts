import { entryOf } from '../../../entry.js';
import { regeneratedToken, regeneratedTokenOptions } from './protocol.js';

export const entry = entryOf('mutual-exclusion/token', (options = {}) => regeneratedToken(options), regeneratedTokenOptions, [
  { coordinator: 'a' },
]);
