import { entryOf } from '../../entry.js';
import { adoption } from './protocol.js';

export const entry = entryOf('election', () => adoption);
