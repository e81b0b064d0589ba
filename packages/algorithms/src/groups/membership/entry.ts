import { entryOf } from '../../entry.js';
import { membership } from './protocol.js';

export const entry = entryOf('groups', (options = {}) => membership(options), [
  { name: 'order', type: 'string', meaning: 'the order of deliveries: total, or fifo, that of each sender only' },
  { name: 'founders', type: 'number', meaning: 'how many nodes, the smallest first, are the members of view 1' },
  { name: 'window', type: 'number', meaning: 'members acknowledge each message of a sender whose position is a multiple of this' },
  { name: 'stateTransfer', type: 'boolean', meaning: 'newcomers get the state of the application' },
  { name: 'detector', type: 'boolean', meaning: 'nodes find out about crashes by heartbeats, instead of reports of the network' },
  { name: 'period', type: 'number', meaning: 'with detector: the time between two heartbeats, in ms' },
  { name: 'silence', type: 'number', meaning: 'with detector: after how long without a heartbeat a node counts as crashed, in ms' },
]);
