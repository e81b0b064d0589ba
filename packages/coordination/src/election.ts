/** Elections, by a protocol that is given or by leases: `@conclave/coordination/election`. */

export type { ClientSite } from './client-of.js';
export {
  type ElectionOptions,
  election,
  type LeaseElectionOptions,
} from './election/election.js';
export { type ElectionClientOptions, electionClient } from './election/election-client.js';
export type { LeaseTimes } from './election/lease-election.js';
export type { Election, ElectionClient, Leader } from './election/shared-election.js';
export { type Leadership, LeadershipLost } from './election/shared-election.js';
