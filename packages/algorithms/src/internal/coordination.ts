/** Unstable: for the packages of this house only, of the same version. */

export { hasTerms, termOf } from '../election/election.js';
export { awaitedBy } from '../mutual-exclusion/mutual-exclusion.js';
