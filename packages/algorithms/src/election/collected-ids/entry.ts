import { entryOf } from '../../entry.js';
import { collectedIds, collectedIdsAcknowledged } from './protocol.js';

export const entry = entryOf(
  'election',
  ({ acknowledged = false, ...options } = {}) => (acknowledged ? collectedIdsAcknowledged(options) : collectedIds),
  [
    { name: 'acknowledged', type: 'boolean', meaning: 'a node that does not acknowledge a message in time counts as crashed' },
    { name: 'timeout', type: 'number', meaning: 'with acknowledged: how long an answer may take, in ms' },
  ],
  [{ acknowledged: true }],
);
