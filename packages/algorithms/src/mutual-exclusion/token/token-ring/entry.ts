import { entryOf } from '../../../entry.js';
import { tokenRing, tokenRingOptions } from './protocol.js';

export const entry = entryOf('mutual-exclusion/token', (options = {}) => tokenRing(options), tokenRingOptions, [{ cancel: true }]);
