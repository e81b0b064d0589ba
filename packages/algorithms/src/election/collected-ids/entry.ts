import { entryOf } from '../../entry.js';
import { flag } from '../../options.js';
import { acknowledgedOptions } from './collected-ids.js';
import { collectedIds, collectedIdsAcknowledged } from './protocol.js';

export const entry = entryOf(
  'election',
  ({ acknowledged = false, ...options } = {}) =>
    acknowledged ? collectedIdsAcknowledged(options) : collectedIds,
  {
    acknowledged: flag('a node that does not acknowledge a message in time counts as crashed'),
    ...acknowledgedOptions,
  },
  { charted: [{ acknowledged: true }] },
);
