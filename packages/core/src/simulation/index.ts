export { Random } from '../base/random.js';
export type { Conditions, Delay } from '../channel/conditions.js';
export type { Fault } from './faults.js';
export type { SimulationOptions } from './options.js';
export { measuredCost, type SimulationResult, totalMessages } from './result.js';
export type { SeedOutcome } from './seeds/outcome.js';
export type { Quantiles } from './seeds/quantiles.js';
export { type SeedsOptions, simulateSeeds } from './seeds/simulate-seeds.js';
export type { SeedsSummary } from './seeds/summary.js';
export { Simulation, simulate } from './simulate.js';
export { usualWorkload } from './usual-workload.js';
export {
  type Application,
  closedLoop,
  idleFor,
  type LoopOptions,
  oneShot,
  poisson,
  type Workload,
} from './workload.js';
