import { entryOf } from '../../../entry.js';
import { tokenRing } from './protocol.js';
import { tokenRingOptions } from './token-ring.js';

export const entry = entryOf('mutual-exclusion/token', tokenRing, tokenRingOptions, {
  charted: [{ cancel: true }],
});
