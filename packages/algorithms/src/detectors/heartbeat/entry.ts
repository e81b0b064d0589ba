import { entryOf } from '../../entry.js';
import { heartbeat } from './protocol.js';

export const entry = entryOf('detectors', (options = {}) => heartbeat(options), [
  { name: 'period', type: 'number', meaning: 'the time between two heartbeats, in ms' },
  { name: 'timeout', type: 'number', meaning: 'after how long without a heartbeat a node is suspected, in ms' },
  { name: 'growth', type: 'number', meaning: 'by how much the time-out grows after a false suspicion, in ms' },
  { name: 'longest', type: 'number', meaning: 'up to what the time-out grows, in ms' },
]);
