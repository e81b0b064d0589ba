import type { EmbedOptions } from '@conclave/core/embedding';

/** Sets the timers of a node. */
export type Timers = NonNullable<EmbedOptions['clock']>;

/** The time in milliseconds, by `clock` where it tells the time. */
export function timeOf(clock: Timers | undefined): () => number {
  if (clock && 'now' in clock && typeof clock.now === 'function') {
    const { now } = clock;
    return () => Number(now.call(clock));
  }
  return () => performance.now();
}
