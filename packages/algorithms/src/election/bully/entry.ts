import { entryOf } from '../../entry.js';
import { bullyOptions } from './bully.js';
import { bully } from './protocol.js';

export const entry = entryOf('election', (options = {}) => bully(options), bullyOptions, [
  { detector: true },
]);
