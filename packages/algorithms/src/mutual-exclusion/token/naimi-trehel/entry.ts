import { entryOf } from '../../../entry.js';
import { greedyOptions } from '../building-blocks/greedy.js';
import { naimiTrehel } from './protocol.js';

export const entry = entryOf('mutual-exclusion/token', naimiTrehel, greedyOptions, {
  charted: [{ greedy: 1 }],
});
