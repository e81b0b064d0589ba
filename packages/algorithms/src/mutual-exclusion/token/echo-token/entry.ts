import { entryOf } from '../../../entry.js';
import { greedyOptions } from '../building-blocks/greedy.js';
import { echoToken } from './protocol.js';

export const entry = entryOf('mutual-exclusion/token', echoToken, greedyOptions, {
  charted: [{ greedy: 1 }],
});
