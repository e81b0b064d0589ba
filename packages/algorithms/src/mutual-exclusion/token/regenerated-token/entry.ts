import { entryOf } from '../../../entry.js';
import { regeneratedToken } from './protocol.js';
import { regeneratedTokenOptions } from './regenerated-token.js';

export const entry = entryOf('mutual-exclusion/token', regeneratedToken, regeneratedTokenOptions, {
  charted: [{ coordinator: 'a' }],
});
