import { entryOf } from '../../entry.js';
import { fullCirculationOptions } from './options.js';
import { fullCirculation } from './protocol.js';

export const entry = entryOf(
  'election',
  (options = {}) => fullCirculation(options),
  fullCirculationOptions,
  [{ size: true }],
);
