/** The fisherman of the exercise: how many fish he catches until one is larger than the first. */

/** Consecutive fish that are told apart; of more, only whether the last fish of the pond was caught. */
const mostToldApart = 10;

/**
 * A catch from a pond of `n` fish: 2 or more; `n` where the pond is empty. Each fish that is left is
 * caught next with the same probability. All that were caught after the first are smaller, so
 * `larger` of those left are larger than it.
 *
 * @param {{ below: (bound: number) => number }} random
 */
function caught(n, random) {
  const larger = random.below(n);
  for (let left = n - 1; left > 0; left--) if (random.below(left) < larger) return n - left + 1;
  return n;
}

/**
 * The fishermen of one macro-experiment, each at a pond of his own: the mean of what they caught, how
 * many of them caught 1, …, 10, n − 1 and n fish, and how the mean went.
 *
 * @param {object} experiment
 * @param {number} experiment.n how many fish are in a pond
 * @param {number} experiment.singles how many fishermen
 * @param {readonly number[]} [experiment.looks] after how many fishermen the mean is noted
 */
export function macroExperiment({ n, singles, looks = [] }, random) {
  const counts = new Map([...oneTo(mostToldApart), n - 1, n].map((catches) => [catches, 0]));
  const means = [];
  let total = 0;
  for (let man = 1, look = 0; man <= singles; man++) {
    const catches = caught(n, random);
    total += catches;
    if (catches <= mostToldApart || catches >= n - 1) counts.set(catches, counts.get(catches) + 1);
    if (man === looks[look]) {
      means.push([man, total / man]);
      look++;
    }
  }
  return { mean: total / singles, counts, means };
}

export const oneTo = (n) => Array.from({ length: n }, (_, index) => index + 1);

/** How probable a catch of `m` of `n` ≥ 2 fish is, as a fraction. @returns {[bigint, bigint]} */
export function probabilityOf(m, n) {
  if (m === 1) return [0n, 1n];
  return m < n ? [1n, BigInt(m) * BigInt(m - 1)] : [1n, BigInt(n) - 1n];
}

/**
 * How far observed counts are from expected ones: Pearson's chi-square, its degrees of freedom, and
 * how probable so large a value is where the expectation is right.
 *
 * @param {readonly (readonly [observed: number, expected: number])[]} bins an odd number of them
 */
export function chiSquare(bins) {
  const value = bins.reduce((sum, [seen, expected]) => sum + (seen - expected) ** 2 / expected, 0);
  const freedom = bins.length - 1;
  if (freedom % 2 !== 0) throw new Error('The sum below is for even degrees of freedom.');
  // e^−x (1 + x + x²/2! + …) with x = value / 2, of half as many terms as degrees of freedom
  const terms = [1];
  for (let k = 1; k < freedom / 2; k++) terms.push((terms.at(-1) * value) / 2 / k);
  const chance = Math.exp(-value / 2) * terms.reduce((sum, term) => sum + term, 0);
  return { value, freedom, chance };
}

/** The generator of Park and Miller: x → 16807·x mod 2^31 − 1, with the period 2^31 − 2. */
export class MinimalStandard {
  static modulus = 2 ** 31 - 1;

  constructor(seed) {
    this.state = seed;
  }

  next() {
    this.state = (16_807 * this.state) % MinimalStandard.modulus; // below 2^46: exact
    return this.state;
  }

  /** @param {number} bound not more than 2^22, so that the product is exact */
  below(bound) {
    return Math.floor(((this.next() - 1) * bound) / (MinimalStandard.modulus - 1));
  }
}
