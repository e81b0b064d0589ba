export { VirtualClock } from './clock.js';
export type { Fault } from './faults.js';
export type { Entry, ExclusionFigures } from './measurement.js';
export type { PropertyReport } from './monitor.js';
export type { SimulationOptions } from './options.js';
export { type SimulationResult, totalMessages } from './result.js';
export { type Delivery, Simulation, simulate } from './simulate.js';
export type { Until } from './until.js';
export { type Application, closedLoop, idle, type LoopOptions, oneShot, type PoissonOptions, poisson, type Workload } from './workload.js';
