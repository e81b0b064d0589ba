import { entryOf } from '../../entry.js';
import { logicalClock, logicalClockOptions } from './protocol.js';

export const entry = entryOf('clocks', (options = {}) => logicalClock(options), logicalClockOptions, [{ clock: 'vector' }]);
