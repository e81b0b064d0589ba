/** A job that runs once among all processes at each tick: `@conclave/algorithms/once`. */
export { once } from './facade/once/once.js';
export type {
  Once,
  OnceEvent,
  OnceOptions,
  OnceRun,
} from './facade/once/once-types.js';
export { memoryTicks, type TickStore } from './facade/once/once-types.js';
export type { Schedule } from './facade/once/schedule.js';
