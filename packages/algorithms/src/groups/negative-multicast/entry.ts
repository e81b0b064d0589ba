import { entryOf } from '../../entry.js';
import { negativeMulticast } from './protocol.js';

export const entry = entryOf('groups', (options = {}) => negativeMulticast(options), [
  { name: 'period', type: 'number', meaning: 'how long a sender waits before each summary, in ms' },
  { name: 'patience', type: 'number', meaning: 'how long another member waits for a summary before it sends one itself, in ms' },
  { name: 'retry', type: 'number', meaning: 'after how long a member asks again for a message that it lacks, in ms' },
]);
