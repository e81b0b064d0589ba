import { entryOf } from '../../entry.js';
import { fullCirculation, fullCirculationOptions } from './protocol.js';

export const entry = entryOf('election', (options = {}) => fullCirculation(options), fullCirculationOptions, [{ size: true }]);
