/** Elections, by a protocol that is given or by leases: `@conclave/algorithms/election`. */

export type { ElectionClientOptions } from './facade/client-of.js';
export { type ElectionOptions, election } from './facade/election/election.js';
export { electionClient } from './facade/election/election-client.js';
export type { Election, ElectionClient, Leader } from './facade/election/shared-election.js';
export { LeadershipLost } from './facade/election/shared-election.js';
