import { entryOf } from '../../entry.js';
import { gallagerHumbletSpira } from './protocol.js';

export const entry = entryOf('election', () => gallagerHumbletSpira);
