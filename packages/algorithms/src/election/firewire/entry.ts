import { entryOf } from '../../entry.js';
import { firewire, firewireOptions } from './protocol.js';

export const entry = entryOf('election', (options = {}) => firewire(options), firewireOptions, [{ tieBreak: 'id' }]);
