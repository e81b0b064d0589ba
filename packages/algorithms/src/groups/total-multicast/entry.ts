import { entryOf } from '../../entry.js';
import { totalMulticast } from './protocol.js';
import { totalMulticastOptions } from './total-multicast.js';

export const entry = entryOf('groups', totalMulticast, totalMulticastOptions, {
  charted: [{ sequencer: 'a' }],
});
