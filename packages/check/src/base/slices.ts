import { refuseChance } from '@conclave/core/internal';

/** Work in slices: its caller goes on with it whenever it likes, or never. */
export type Slices<T> = Generator<void, T, void>;

/** Does all of it at once. */
export function atOnce<T>(work: Slices<T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

/** Work that is done at once. */
// biome-ignore lint/correctness/useYield: it is one slice
export function* inOneSlice<T>(work: () => T): Slices<T> {
  return work();
}

/** While the work goes on, and between its slices, there is no chance for user code. */
export function* slicedWithoutChance<T>(run: () => Slices<T>): Slices<T> {
  const allowChance = refuseChance();
  try {
    return yield* run();
  } finally {
    allowChance();
  }
}

/** While `run` runs, there is no chance for user code. */
export function withoutChance<T>(run: () => T): T {
  const allowChance = refuseChance();
  try {
    return run();
  } finally {
    allowChance();
  }
}
