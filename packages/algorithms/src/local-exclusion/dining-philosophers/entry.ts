import { entryOf } from '../../entry.js';
import { diningPhilosophers } from './protocol.js';

export const entry = entryOf('local-exclusion', () => diningPhilosophers);
