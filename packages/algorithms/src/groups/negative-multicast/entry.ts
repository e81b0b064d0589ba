import { entryOf } from '../../entry.js';
import { negativeMulticastOptions } from './options.js';
import { negativeMulticast } from './protocol.js';

export const entry = entryOf(
  'groups',
  (options = {}) => negativeMulticast(options),
  negativeMulticastOptions,
);
