export { Random } from '../base/random.js';
export type { Conditions, Delay } from '../channel/conditions.js';
export type { Fault } from './faults.js';
export type { SimulationOptions } from './options.js';
export { type SimulationResult, totalMessages } from './result.js';
export { Simulation, simulate } from './simulate.js';
export {
  closedLoop,
  type LoopOptions,
  oneShot,
  poisson,
  type Workload,
} from './workload.js';
