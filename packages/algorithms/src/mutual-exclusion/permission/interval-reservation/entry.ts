import { entryOf } from '../../../entry.js';
import { flag } from '../../../options.js';
import { intervalReservation, readersWriters } from './protocol.js';

export const entry = entryOf(
  'mutual-exclusion/permission',
  ({ shared = false } = {}) => (shared ? readersWriters : intervalReservation()),
  { shared: flag('readers and writers instead of intervals') },
  { charted: [{ shared: true }] },
);
