/** A job that runs once among all processes at each tick: `@conclave/coordination/once`. */
export { once } from './once/once.js';
export type {
  Once,
  OnceEvent,
  OnceOptions,
  OnceRun,
} from './once/once-types.js';
export type { Schedule } from './once/schedule.js';
