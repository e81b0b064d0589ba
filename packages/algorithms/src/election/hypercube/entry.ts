import { entryOf } from '../../entry.js';
import { hypercubeElection } from './protocol.js';

export const entry = entryOf('election', () => hypercubeElection);
