import { entryOf } from '../../entry.js';
import { negativeMulticastOptions } from './negative-multicast.js';
import { negativeMulticast } from './protocol.js';

export const entry = entryOf('groups', negativeMulticast, negativeMulticastOptions);
