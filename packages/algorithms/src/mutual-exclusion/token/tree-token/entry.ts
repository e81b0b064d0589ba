import { entryOf } from '../../../entry.js';
import { greedyOptions } from '../building-blocks/greedy.js';
import { treeToken } from './protocol.js';

export const entry = entryOf('mutual-exclusion/token', treeToken, greedyOptions, {
  charted: [{ greedy: 1 }],
});
