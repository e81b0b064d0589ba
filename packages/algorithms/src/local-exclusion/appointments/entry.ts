import { entryOf } from '../../entry.js';
import { appointments } from './protocol.js';

export const entry = entryOf('local-exclusion', () => appointments);
