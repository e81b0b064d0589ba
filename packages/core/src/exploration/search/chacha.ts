/**
 * An endless stream of pseudo-random 32-bit words: the key stream of ChaCha20 (Bernstein 2008; RFC
 * 8439) whose key is `seed`, a whole number from 0 to 2⁵³ − 1. Except for trying all seeds, no test
 * is known that distinguishes them from independent uniform words.
 */
export function* wordsFrom(seed: number): Generator<number, never> {
  const key = [seed % 2 ** 32, Math.floor(seed / 2 ** 32), 0, 0, 0, 0, 0, 0];
  for (let counter = 0; ; counter++) yield* block([...constants, ...key, counter, 0, 0, 0]);
}

/** An unpredictable seed of 53 bits. */
export function freshSeed(): number {
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2));
  return (high >>> 11) * 2 ** 32 + low;
}

/** "expand 32-byte k" */
const constants = [0x61707865, 0x3320646e, 0x79622d32, 0x6b206574];

/** The words that each quarter round mixes: the columns, then the diagonals. */
const quarters = [
  [0, 4, 8, 12],
  [1, 5, 9, 13],
  [2, 6, 10, 14],
  [3, 7, 11, 15],
  [0, 5, 10, 15],
  [1, 6, 11, 12],
  [2, 7, 8, 13],
  [3, 4, 9, 14],
] as const;

function block(state: readonly number[]): Uint32Array {
  const words = Uint32Array.from(state);
  /** Adds one word to another, and rotates the exclusive or of the sum and a third. */
  const mix = (to: number, from: number, turned: number, bits: number) => {
    words[to] = (words[to] as number) + (words[from] as number);
    const both = (words[turned] as number) ^ (words[to] as number);
    words[turned] = (both << bits) | (both >>> (32 - bits));
  };
  for (let round = 0; round < 10; round++)
    for (const [a, b, c, d] of quarters) {
      mix(a, b, d, 16);
      mix(c, d, b, 12);
      mix(a, b, d, 8);
      mix(c, d, b, 7);
    }
  return words.map((word, index) => word + (state[index] as number));
}
