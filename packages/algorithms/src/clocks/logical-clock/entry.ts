import { entryOf } from '../../entry.js';
import { logicalClockOptions } from './logical-clock.js';
import { logicalClock } from './protocol.js';

export const entry = entryOf('clocks', logicalClock, logicalClockOptions, {
  charted: [{ clock: 'vector' }],
});
