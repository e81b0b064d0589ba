import { entryOf } from '../../entry.js';
import { treeWave } from './protocol.js';

export const entry = entryOf('election', () => treeWave);
