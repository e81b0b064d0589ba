import type { TimerClock } from '../protocol/node-timers.js';

/** A clock that also tells the time, in milliseconds since any moment. */
export interface Clock extends TimerClock {
  now(): number;
  /** Runs `run` after what has arrived together with the present event. Without it: at once. */
  readonly soon?: (run: () => void) => void;
}

/** A timer of 0 ms: it ends when the event loop has turned. `setTimeout` makes 1 ms of it. */
class Turn {
  constructor(readonly immediate: ReturnType<typeof setImmediate>) {}
}

/** The real time, in milliseconds. */
export const wallClock: Clock = {
  now: () => performance.now(),
  setTimeout: (fire, delay) =>
    delay <= 0 && typeof setImmediate === 'function'
      ? new Turn(setImmediate(fire))
      : globalThis.setTimeout(fire, delay),
  clearTimeout: (handle) =>
    handle instanceof Turn
      ? clearImmediate(handle.immediate)
      : // it made the handle
        globalThis.clearTimeout(handle as ReturnType<typeof globalThis.setTimeout>),
  // in Node after what the promises of this turn do, which may send
  soon: typeof setImmediate === 'function' ? (run) => void setImmediate(run) : queueMicrotask,
};
