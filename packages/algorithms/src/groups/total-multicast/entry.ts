import { entryOf } from '../../entry.js';
import { totalMulticast } from './protocol.js';

export const entry = entryOf(
  'groups',
  (options = {}) => totalMulticast(options),
  [{ name: 'sequencer', type: 'string', meaning: 'the member that numbers the multicasts; by default the members elect it' }],
  [{ sequencer: 'a' }],
);
