import { entryOf } from '../../entry.js';
import { acknowledgedMulticastOptions } from './acknowledged-multicast.js';
import { acknowledgedMulticast } from './protocol.js';

export const entry = entryOf('groups', acknowledgedMulticast, acknowledgedMulticastOptions, {
  charted: [{ relay: 'silence' }],
});
