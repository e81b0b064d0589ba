/** Elections, by a protocol that is given or by leases: `@conclave/algorithms/election`. */

export type { ClientSite } from './facade/client-of.js';
export {
  type ElectionOptions,
  election,
  type LeaseElectionOptions,
} from './facade/election/election.js';
export { type ElectionClientOptions, electionClient } from './facade/election/election-client.js';
export type { LeaseTimes } from './facade/election/lease-election.js';
export type { Election, ElectionClient, Leader } from './facade/election/shared-election.js';
export { type Leadership, LeadershipLost } from './facade/election/shared-election.js';
