/** Elections, by a protocol that is given or by leases: `@conclave/coordination/election`. */

export type { ElectionClientOptions } from './client-of.js';
export { type ElectionOptions, election } from './election/election.js';
export { electionClient } from './election/election-client.js';
export type { Election, ElectionClient, Leader } from './election/shared-election.js';
export { LeadershipLost } from './election/shared-election.js';
