import { entryOf } from '../../entry.js';
import { acknowledgedMulticastOptions } from './options.js';
import { acknowledgedMulticast } from './protocol.js';

export const entry = entryOf(
  'groups',
  (options = {}) => acknowledgedMulticast(options),
  acknowledgedMulticastOptions,
  [{ relay: 'silence' }],
);
