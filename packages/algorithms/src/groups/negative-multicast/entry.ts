import { entryOf } from '../../entry.js';
import { negativeMulticast, negativeMulticastOptions } from './protocol.js';

export const entry = entryOf('groups', (options = {}) => negativeMulticast(options), negativeMulticastOptions);
