import { entryOf } from '../../../entry.js';
import { maekawaOptions } from './maekawa.js';
import { maekawa } from './protocol.js';

export const entry = entryOf('mutual-exclusion/permission', maekawa, maekawaOptions, {
  charted: [{ cancel: true }],
});
