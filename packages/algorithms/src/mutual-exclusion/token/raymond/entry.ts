import { entryOf } from '../../../entry.js';
import { raymond, raymondOptions } from './protocol.js';

export const entry = entryOf('mutual-exclusion/token', (options = {}) => raymond(options), raymondOptions, [
  { piggyback: true },
  { cancel: true },
]);
