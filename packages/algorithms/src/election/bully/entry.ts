import { entryOf } from '../../entry.js';
import { bully, bullyOptions } from './protocol.js';

export const entry = entryOf('election', (options = {}) => bully(options), bullyOptions, [{ detector: true }]);
