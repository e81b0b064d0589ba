import { entryOf } from '../../entry.js';
import { franklin } from './protocol.js';

export const entry = entryOf('election', () => franklin);
