import { entryOf } from '../../entry.js';
import { fullCirculation } from './protocol.js';

export const entry = entryOf(
  'election',
  (options = {}) => fullCirculation(options),
  [{ name: 'size', type: 'boolean', meaning: 'the nodes know the size of the ring: channels may have any order' }],
  [{ size: true }],
);
