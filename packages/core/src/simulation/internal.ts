/** For the packages of this repository, of the same version: without promise. */
export { defaultSteps, expectedSteps } from './expected-steps.js';
export { parseCrash } from './faults.js';
export { measuredCost } from './result.js';
export { outcomeOf, type SeedOutcome } from './seeds/outcome.js';
export { type SeedsOptions, simulateSeeds } from './seeds/simulate-seeds.js';
export { type Figure, type SeedsSummary, summaryOf } from './seeds/summary.js';
export { usualWorkload } from './usual-workload.js';
export { idleFor } from './workload.js';
