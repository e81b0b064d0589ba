import type { DayClock } from './once-types.js';

/** A clock that was set, or a machine that was asleep, is noticed within this time. */
const longestPause = 60_000;

export const dayClock: DayClock = {
  now: () => Date.now(),
  setTimeout: (fire, delay) => globalThis.setTimeout(fire, delay),
  clearTimeout: (handle) =>
    // it made the handle
    globalThis.clearTimeout(handle as ReturnType<typeof globalThis.setTimeout>),
};

/** Waits for so many milliseconds, at most until `signal` aborts, and at most a minute. */
export const pauseFor = (clock: DayClock, ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = () => {
      clock.clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = clock.setTimeout(end, Math.min(ms, longestPause));
    signal.addEventListener('abort', end);
  });
