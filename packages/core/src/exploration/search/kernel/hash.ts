/**
 * Murmur-like hash of the `width` numbers from `from` on. Fast and good enough for hash tables; it
 * does not replace a comparison of the numbers.
 */
export function hashOf(numbers: Int32Array, from: number, width: number): number {
  let hash = 0;
  for (let index = from; index < from + width; index++) {
    let word = Math.imul(numbers[index] as number, 0xcc9e2d51);
    word = (word << 15) | (word >>> 17);
    hash ^= Math.imul(word, 0x1b873593);
    hash = (hash << 13) | (hash >>> 19);
    hash = (Math.imul(hash, 5) + 0xe6546b64) | 0;
  }
  hash ^= hash >>> 16;
  hash = Math.imul(hash, 0x85ebca6b);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}
