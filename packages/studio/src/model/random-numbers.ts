/**
 * Whole numbers below a bound, drawn from a seed: same seed, same numbers. SplitMix32, after
 * Steele, Lea, Flood (OOPSLA 2014).
 */
export function randomNumbers(seed: number): (bound: number) => number {
  let state = seed | 0;
  return (bound) => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = state ^ (state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return Math.floor((((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32) * bound);
  };
}
