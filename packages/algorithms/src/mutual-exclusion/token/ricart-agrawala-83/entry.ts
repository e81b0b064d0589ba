import { entryOf } from '../../../entry.js';
import { greedyOptions } from '../building-blocks/greedy.js';
import { ricartAgrawala83 } from './protocol.js';

export const entry = entryOf('mutual-exclusion/token', ricartAgrawala83, greedyOptions, {
  charted: [{ greedy: 1 }],
});
