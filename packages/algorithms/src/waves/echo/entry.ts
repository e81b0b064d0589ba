import { entryOf } from '../../entry.js';
import { echo } from './protocol.js';

export const entry = entryOf('waves', (options = {}) => echo(options), [
  { name: 'initiator', type: 'string', meaning: 'the node that starts the wave' },
]);
