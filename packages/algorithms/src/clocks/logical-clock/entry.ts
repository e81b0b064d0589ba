import { entryOf } from '../../entry.js';
import { logicalClockOptions } from './logical-clock.js';
import { logicalClock } from './protocol.js';

export const entry = entryOf(
  'clocks',
  (options = {}) => logicalClock(options),
  logicalClockOptions,
  [{ clock: 'vector' }],
);
