/** For the packages of this repository, of the same version: without promise. */
export { awaitedBy } from '../composition/awaited.js';
export { hasTerms, termOf } from '../election/election.js';
