import type { embed } from '@conclave/core/embedding';

type Timers = NonNullable<Parameters<typeof embed>[1]['clock']>;

/** The time in milliseconds, by `clock` where it tells the time. */
export function timeOf(clock: Timers | undefined): () => number {
  if (clock && 'now' in clock && typeof clock.now === 'function') {
    const { now } = clock;
    return () => Number(now.call(clock));
  }
  return () => performance.now();
}
