import { entryOf } from '../../entry.js';
import { membership, membershipOptions } from './protocol.js';

export const entry = entryOf('groups', (options = {}) => membership(options), membershipOptions);
