import { entryOf } from '../../entry.js';
import { hirschbergSinclair } from './protocol.js';

export const entry = entryOf('election', () => hirschbergSinclair);
