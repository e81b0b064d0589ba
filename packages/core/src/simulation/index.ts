export type { Fault } from './faults.js';
export type { SimulationOptions } from './options.js';
export { type SimulationResult, totalMessages } from './result.js';
export { Simulation, simulate } from './simulate.js';
export { closedLoop, idle, oneShot, poisson, type Workload } from './workload.js';
