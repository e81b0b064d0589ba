export { type Crash, parseCrash } from './faults.js';
export { measuredCost, type SimulationResult, totalMessages } from './result.js';
export { outcomeOf, type SeedOutcome } from './seeds/outcome.js';
export type { Quantiles } from './seeds/quantiles.js';
export { type SeedRange, type SeedsOptions, simulateSeeds } from './seeds/simulate-seeds.js';
export { type SeedsSummary, type SeedViolation, summaryOf } from './seeds/summary.js';
export { Simulation, simulate } from './simulate.js';
export { type UsualOptions, usualWorkload } from './usual-workload.js';
export { closedLoop, idleFor, oneShot, poisson, type Workload } from './workload.js';
