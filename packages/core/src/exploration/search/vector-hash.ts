/**
 * How many slots are summed before the sums are folded: so many sums of products are exact as
 * doubles.
 */
const chunk = 16;
const wordSize = 2 ** 32;

/**
 * A function from vectors of 32-bit numbers to 32 bits, drawn at random from a strongly universal
 * family: any two different vectors have the same value with a probability of exactly 2⁻³².
 *
 * It is vector multiply-shift: the high half of (b + Σ aᵢ·xᵢ) mod 2⁶⁴, with b and all aᵢ drawn
 * uniformly from the 64-bit numbers. M. Dietzfelbinger: Universal hashing and k-wise independent
 * random variables via integer arithmetic without primes, STACS 1996; M. Thorup: High Speed Hashing
 * for Integers and Strings, arXiv:1504.06804. For slots of w bits and values of l bits, the
 * arithmetic needs w + l − 1 bits: here 63 of 64.
 */
export class VectorHash {
  /** By slot: the low and the high word of its multiplier. */
  readonly #low: Float64Array;
  readonly #high: Float64Array;
  readonly #addLow: number;
  readonly #addHigh: number;

  /** `words`: uniform and independent ones, 2 + 2 · `width` of them. */
  constructor(
    private readonly width: number,
    words: Iterator<number, never>,
  ) {
    const draw = () => words.next().value;
    this.#addLow = draw();
    this.#addHigh = draw();
    this.#low = Float64Array.from({ length: width }, draw);
    this.#high = Float64Array.from({ length: width }, draw);
  }

  /** The value of the vector that begins at `from`. */
  of(numbers: Int32Array, from: number): number {
    const [lows, highs, width] = [this.#low, this.#high, this.width];
    let sumLow = this.#addLow;
    let sumHigh = this.#addHigh | 0;
    for (let start = 0; start < width; start += chunk) {
      const end = Math.min(start + chunk, width);
      // A multiplier is high·2³² + low, a slot is upper·2¹⁶ + lower: products of a word and half a
      // word fit a double.
      let [low, high, upperLow, upperHigh] = [0, 0, 0, 0];
      for (let slot = start; slot < end; slot++) {
        const number = numbers[from + slot] as number;
        const lower = number & 0xffff;
        low += (lows[slot] as number) * lower;
        high += (highs[slot] as number) * lower;
        if (number === lower) continue; // most numbers are small
        const upper = number >>> 16;
        upperLow += (lows[slot] as number) * upper;
        upperHigh += (highs[slot] as number) * upper;
      }
      const carryOver = Math.floor(upperLow / 65_536);
      sumLow += low + (upperLow - 65_536 * carryOver) * 65_536;
      const carry = Math.floor(sumLow / wordSize);
      sumLow -= carry * wordSize;
      // only the last 32 bits matter
      sumHigh = (sumHigh + (high | 0) + carry + carryOver + ((upperHigh | 0) << 16)) | 0;
    }
    return sumHigh;
  }
}
