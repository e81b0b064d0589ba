import { entryOf } from '../../entry.js';
import { causalMulticastOptions } from './causal-multicast.js';
import { causalMulticast } from './protocol.js';

export const entry = entryOf('groups', causalMulticast, causalMulticastOptions);
