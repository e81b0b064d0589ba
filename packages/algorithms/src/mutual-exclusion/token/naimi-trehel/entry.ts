import { entryOf, holder } from '../../../entry.js';
import { naimiTrehel } from './protocol.js';

export const entry = entryOf('mutual-exclusion/token', (options = {}) => naimiTrehel(options), [holder]);
