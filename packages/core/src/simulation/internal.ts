/** For the packages of this repository, of the same version: without promise. */
export { parseCrash } from './faults.js';
export { measuredCost } from './result.js';
export { defaultSteps, expectedSteps } from './until.js';
export { idleFor, usualWorkload } from './workload.js';
