import { entryOf } from '../../entry.js';
import { causalMulticast, causalMulticastOptions } from './protocol.js';

export const entry = entryOf('groups', (options = {}) => causalMulticast(options), causalMulticastOptions);
