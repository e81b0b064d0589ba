import type { TimerClock } from '../protocol/node-timers.js';

/** A clock that also tells the time, in milliseconds since any moment. */
export interface Clock extends TimerClock {
  now(): number;
  /** Runs `run` after what has arrived together with the present event. Without it: at once. */
  readonly soon?: (run: () => void) => void;
}

/** The real time, in milliseconds. */
export const wallClock: Clock = {
  now: () => performance.now(),
  setTimeout: (fire, delay) => globalThis.setTimeout(fire, delay),
  clearTimeout: (handle) =>
    // it made the handle
    globalThis.clearTimeout(handle as ReturnType<typeof globalThis.setTimeout>),
  // in Node after what the promises of this turn do, which may send
  soon: typeof setImmediate === 'function' ? (run) => void setImmediate(run) : queueMicrotask,
};
