export { type SimulationResult, totalMessages } from './result.js';
export { Simulation, simulate } from './simulate.js';
export { closedLoop, idleFor, oneShot, poisson, type Workload } from './workload.js';
