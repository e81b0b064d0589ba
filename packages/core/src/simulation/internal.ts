/** Unstable: for the packages of this house only, of the same version. */
export { parseDelay } from '../channel/conditions.js';
export { reliableLink } from '../channel/reliable/protocol.js';
export { parseCrash } from './faults.js';
export { measuredCost } from './result.js';
export { defaultSteps, expectedSteps } from './until.js';
export { idleFor, usualWorkload } from './workload.js';
