import { entryOf } from '../../entry.js';
import { totalMulticastOptions } from './options.js';
import { totalMulticast } from './protocol.js';

export const entry = entryOf(
  'groups',
  (options = {}) => totalMulticast(options),
  totalMulticastOptions,
  [{ sequencer: 'a' }],
);
