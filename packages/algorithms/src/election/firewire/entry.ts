import { entryOf } from '../../entry.js';
import { firewireOptions } from './firewire.js';
import { firewire } from './protocol.js';

export const entry = entryOf('election', firewire, firewireOptions, {
  charted: [{ tieBreak: 'id' }],
});
