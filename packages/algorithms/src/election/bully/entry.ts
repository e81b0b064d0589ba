import { entryOf } from '../../entry.js';
import { bullyOptions } from './options.js';
import { bully } from './protocol.js';

export const entry = entryOf('election', (options = {}) => bully(options), bullyOptions, [
  { detector: true },
]);
