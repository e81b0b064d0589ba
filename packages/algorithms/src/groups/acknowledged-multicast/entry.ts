import { entryOf } from '../../entry.js';
import { acknowledgedMulticast, acknowledgedMulticastOptions } from './protocol.js';

export const entry = entryOf('groups', (options = {}) => acknowledgedMulticast(options), acknowledgedMulticastOptions, [
  { relay: 'silence' },
]);
