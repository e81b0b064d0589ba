import { entryOf } from '../../entry.js';
import { paxosOptions } from './paxos.js';
import { paxos } from './protocol.js';

export const entry = entryOf('agreement', paxos, paxosOptions);
