import { entryOf } from '../../entry.js';
import { mesh } from './protocol.js';

export const entry = entryOf('election', () => mesh);
