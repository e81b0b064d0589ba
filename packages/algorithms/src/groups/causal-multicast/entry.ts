import { entryOf } from '../../entry.js';
import { causalMulticast } from './protocol.js';

export const entry = entryOf('groups', (options = {}) => causalMulticast(options), [
  { name: 'order', type: 'string', meaning: 'the order of deliveries: causal, or fifo, that of each sender only' },
]);
