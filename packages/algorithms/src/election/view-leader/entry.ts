import { entryOf } from '../../entry.js';
import { viewLeader } from './protocol.js';

export const entry = entryOf('election', () => viewLeader(), {}, { parts: { group: 'C5' } });
