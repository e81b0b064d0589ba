import { entryOf } from '../../entry.js';
import { extinction, extinctionOptions } from './protocol.js';

export const entry = entryOf('election', (options = {}) => extinction(options), extinctionOptions, [{ terminating: true }]);
