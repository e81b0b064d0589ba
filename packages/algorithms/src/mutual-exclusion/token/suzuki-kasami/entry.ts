import { entryOf, holder } from '../../../entry.js';
import { suzukiKasami } from './protocol.js';

export const entry = entryOf('mutual-exclusion/token', (options = {}) => suzukiKasami(options), [holder]);
