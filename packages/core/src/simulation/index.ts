export { type SimulationResult, totalMessages } from './result.js';
export { Simulation, simulate } from './simulate.js';
export { closedLoop, oneShot, poisson, type Workload } from './workload.js';
