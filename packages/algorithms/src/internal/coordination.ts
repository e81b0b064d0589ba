/** Unstable: for the packages of this house only, of the same version. */
export { awaitedBy } from '../composition/awaited.js';
export { hasTerms, termOf } from '../election/election.js';
