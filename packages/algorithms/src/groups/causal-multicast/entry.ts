import { entryOf } from '../../entry.js';
import { causalMulticastOptions } from './options.js';
import { causalMulticast } from './protocol.js';

export const entry = entryOf(
  'groups',
  (options = {}) => causalMulticast(options),
  causalMulticastOptions,
);
