import { entryOf } from '../../entry.js';
import { membershipOptions } from './membership.js';
import { membership } from './protocol.js';

export const entry = entryOf('detectors', (options = {}) => membership(options), membershipOptions);
