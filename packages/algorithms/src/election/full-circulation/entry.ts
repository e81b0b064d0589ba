import { entryOf } from '../../entry.js';
import { fullCirculationOptions } from './full-circulation.js';
import { fullCirculation } from './protocol.js';

export const entry = entryOf('election', fullCirculation, fullCirculationOptions, {
  charted: [{ size: true }],
});
