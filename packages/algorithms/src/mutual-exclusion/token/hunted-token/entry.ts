import { entryOf } from '../../../entry.js';
import { greedyOptions } from '../building-blocks/greedy.js';
import { huntedToken } from './protocol.js';

export const entry = entryOf('mutual-exclusion/token', huntedToken, greedyOptions, {
  charted: [{ greedy: 1 }],
});
