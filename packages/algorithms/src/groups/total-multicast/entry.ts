import { entryOf } from '../../entry.js';
import { totalMulticast, totalMulticastOptions } from './protocol.js';

export const entry = entryOf('groups', (options = {}) => totalMulticast(options), totalMulticastOptions, [{ sequencer: 'a' }]);
