import { entryOf } from '../../entry.js';
import { threePhaseCommit } from './protocol.js';

export const entry = entryOf('agreement', () => threePhaseCommit);
