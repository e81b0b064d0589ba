/** For the packages of this repository, of the same version: without promise. */
export { parseCrash } from './faults.js';
export { outcomeOf } from './seeds/outcome.js';
export { summaryOf } from './seeds/summary.js';
