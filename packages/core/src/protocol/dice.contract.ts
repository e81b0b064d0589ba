/**
 * Draws for random machines and walks: from a seed, or from a list of earlier draws, which can be
 * made smaller.
 */

/** A number from 0 to `most`; smaller ones make simpler machines. */
export type Draw = (most: number) => number;

export class Dice {
  constructor(private readonly draw: Draw) {}

  upTo(most: number): number {
    return this.draw(most);
  }

  /** True once in `times`. */
  seldom(times: number): boolean {
    return this.draw(times - 1) === times - 1;
  }

  oneOf<T>(options: readonly T[]): T {
    return options[this.draw(options.length - 1)] as T; // in range
  }

  list<T>(length: number, make: (index: number) => T): T[] {
    return Array.from({ length }, (_, index) => make(index));
  }
}

/** Draws that follow from `seed` (splitmix32); `record` gets each. */
export function drawsOf(seed: number, record: number[] = []): Draw {
  let state = Math.imul(seed, 0x9e3779b9);
  return (most) => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = state ^ (state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed ^= mixed >>> 15;
    mixed = Math.imul(mixed, 0x735a2d97);
    mixed ^= mixed >>> 15;
    const drawn = (mixed >>> 0) % (most + 1);
    record.push(drawn);
    return drawn;
  };
}

/** The draws of `list`, then 0. */
export function replayed(list: readonly number[]): Draw {
  let next = 0;
  return (most) => (list[next++] ?? 0) % (most + 1);
}

/**
 * A smaller list of draws with which `fails` still holds, found greedily in at most `tries` tries.
 */
export function shrunk(
  list: readonly number[],
  fails: (list: readonly number[]) => boolean,
  tries = 4000,
): readonly number[] {
  let best = list;
  let left = tries;
  const accepts = (candidate: readonly number[]) => {
    if (left-- <= 0 || !fails(candidate)) return false;
    best = candidate;
    return true;
  };
  for (let isSmaller = true; isSmaller && left > 0; ) {
    isSmaller = false;
    for (let size = best.length; size >= 1; size = Math.floor(size / 2)) {
      for (let at = 0; at + size <= best.length && left > 0; ) {
        const isGone = accepts([...best.slice(0, at), ...best.slice(at + size)]);
        const isZeroed =
          !isGone &&
          best.slice(at, at + size).some((drawn) => drawn > 0) &&
          accepts([...best.slice(0, at), ...Array<number>(size).fill(0), ...best.slice(at + size)]);
        if (isGone || isZeroed) isSmaller = true;
        if (!isGone) at += size;
      }
    }
  }
  return best;
}
