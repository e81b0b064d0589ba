/**
 * Work that can be held, and user code without chance.
 *
 * A search in the page's worker must stop now and then, so that the worker hears whether to pause. A
 * promise would make every caller of `explore` asynchronous. So the work is a generator: it yields
 * after some milliseconds; `explore` runs it to its end, the worker takes one step after the other.
 */
import { refuseChance } from '@conclave/core/internal';

/** Work that yields from time to time. Its caller continues it whenever it likes, or never. */
export type Resumable<T> = Generator<void, T, void>;

export function runToEnd<T>(work: Resumable<T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

/** Work that never yields, as resumable work. */
// biome-ignore lint/correctness/useYield: it is one step
export function* asOneStep<T>(work: () => T): Resumable<T> {
  return work();
}

/** Refuses chance to user code until the work has ended, also while it is held. */
export function* resumableWithoutChance<T>(run: () => Resumable<T>): Resumable<T> {
  const allowChance = refuseChance();
  try {
    return yield* run();
  } finally {
    allowChance();
  }
}

/** Refuses chance to user code while `run` runs. */
export function withoutChance<T>(run: () => T): T {
  const allowChance = refuseChance();
  try {
    return run();
  } finally {
    allowChance();
  }
}
