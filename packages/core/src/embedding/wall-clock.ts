import type { TimerClock } from '../protocol/node-timers.js';

/** The time of day, in milliseconds. */
export const wallClock: TimerClock = {
  setTimeout: (fire, delay) => globalThis.setTimeout(fire, delay),
  clearTimeout: (handle) => globalThis.clearTimeout(handle as ReturnType<typeof globalThis.setTimeout>), // it made the handle
};
