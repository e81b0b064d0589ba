import { entryOf } from '../../entry.js';
import { itaiRodeh } from './protocol.js';

export const entry = entryOf('election', (options = {}) => itaiRodeh(options), [
  { name: 'ids', type: 'number', meaning: 'how many ids there are to draw from' },
]);
