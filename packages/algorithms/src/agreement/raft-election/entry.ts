import { entryOf } from '../../entry.js';
import { raftElection } from './protocol.js';
import { raftElectionOptions } from './raft-election.js';

export const entry = entryOf('agreement', raftElection, raftElectionOptions, {
  charted: [{ heartbeats: true }],
});
