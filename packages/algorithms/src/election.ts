/** Elections, by a protocol that is given or by leases: `@conclave/algorithms/election`. */
export {
  type ElectionOptions,
  election,
  type LeaseElectionOptions,
} from './election/facade/election.js';
export { type Leadership, LeadershipLost } from './election/facade/leadership.js';
export type { Election, Leader } from './election/facade/shared-election.js';
