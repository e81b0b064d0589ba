import { entryOf } from '../../../entry.js';
import { greedyOptions } from '../building-blocks/greedy.js';
import { suzukiKasami } from './protocol.js';

export const entry = entryOf('mutual-exclusion/token', suzukiKasami, greedyOptions, {
  charted: [{ greedy: 1 }],
});
