/** The fisherman of the exercise: how many fish he catches until one is larger than the first. */
import { Random } from '@conclave/core/simulation';
import { figure, fixed, folded, listed, number, page, table } from './evidence.mjs';
import {
  addedUp,
  digitsOf,
  fraction,
  harmonic,
  harmonicFraction,
  sum,
  toNumber,
  whole,
} from './harmonic.mjs';

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

// The sections of the chapter on records about the fisherman.

/** The fish in the pond, the lake, the sea and the ocean. */
export const ponds = [1000, 10 ** 6, 2 ** 31, 10 ** 13];
const [pond, lake, sea, ocean] = ponds;
export const macros = 10;

const digits = 20;
export const meanCatch = (n) => sum(whole(1), harmonic(n - 1));
export const meanNumber = (n) => toNumber(meanCatch(n));

/** Of one catch: E[m²] = 2n − 1 + H(n−1). */
function deviation(n) {
  const h = toNumber(harmonic(n - 1));
  return Math.sqrt(2 * (n - 1) - h - h ** 2);
}

const value = ([p, q]) => Number(p) / Number(q);

/** A long number with places where a line may end. */
const inGroups = (digits) => String(digits).replace(/(\d{80})/g, '$1 ');

export const exactCells = (n) => [
  number(n),
  digitsOf(meanCatch(n), digits),
  fraction(probabilityOf(n, n)),
  number(Math.round(deviation(n))),
];

export function fishermanText() {
  const [p, q] = harmonicFraction(pond - 1);
  const rows = ponds.map(exactCells);
  return page(
    '## 1. The fisherman',
    'Alois catches a fish a minute, and stops at the first fish that is larger than his first, or when the pond is empty. Let m be his catch. **(a)** He goes on after k fish if the first is the largest of the first k, with probability 1/k. So P(m = k) = 1/(k−1) − 1/k = 1/(k(k−1)) for 2 ≤ k < n, P(m = n) = 1/(n−1), and the mean is 1 + 1 + 1/2 + … + 1/(n−1) = **1 + H(n−1)**.',
    table(['n fish', 'mean catch = minutes, 1 + H(n−1)', 'P(m = n)', 'standard deviation'], rows),
    `All digits are proved: the program adds H up to ${number(1000)} in whole numbers of 10^−60, and continues by the Euler–Maclaurin formula, with a rest smaller than the first omitted term. For n = ${number(lake)} the sum of all terms has the same digits: ${digitsOf(sum(whole(1), addedUp(lake - 1)), digits)} A sea of ${number(ocean)} fish keeps him for ${fixed(meanNumber(ocean), 1)} minutes on average; half of the time he goes home after two fish.`,
    folded(`The mean for n = ${number(pond)} as a fraction`, `${inGroups(p + q)} / ${inGroups(q)}`),
    '**(b)** If fish are born faster than he catches them, and grow as large as those before, the pond is never empty: P(m > k) = 1/k for every k. He stops with probability 1, and his mean catch is infinite: 1 + 1 + 1/2 + 1/3 + … has no bound.',
    '**(c)** With *smaller* in place of *larger* nothing changes: reverse the order of sizes. But on one pond the two rules always differ. The second fish is larger or smaller than the first, so exactly one of the two rules stops there; the other goes on.',
  );
}

export function simulatedText(results) {
  const rows = results.map(({ n, singles, runs }) => {
    const means = runs.map(({ mean }) => mean);
    return [
      number(n),
      number(singles),
      means.map((mean) => fixed(mean, 2)).join(' '),
      fixed(averageOf(means), 3),
      fixed(meanNumber(n), 3),
      fixed(deviation(n) / Math.sqrt(singles), 2),
    ];
  });
  const [first] = results;
  const last = results.at(-1);
  const below = last.runs.filter(({ mean }) => mean < meanNumber(last.n)).length;
  return page(
    '### Simulated',
    `Each row has ${macros} macro-experiments. A fisherman draws each fish from the remaining fish.`,
    table(
      [
        'n fish',
        'fishermen',
        `the ${macros} means`,
        'mean of all',
        '1 + H(n−1)',
        'standard deviation of a mean',
      ],
      rows,
    ),
    figure(
      'records-means.svg',
      `The mean catch of ${macros} macro-experiments with ${number(lake)} fish, by the number of fishermen so far`,
    ),
    `The means of n fishermen are not stable. The variance of one catch is 2(n−1) − H(n−1) − H(n−1)², so the standard deviation of the mean of n catches approaches √2 as n grows: ${fixed(deviation(first.n) / Math.sqrt(first.singles), 2)} for n = ${number(first.n)}. A deviation ten times smaller takes 100·n fishermen. A few fishermen catch nearly the whole pond and determine the mean: each step in the picture is one such fisherman. Fewer than n fishermen mislead more: with n = ${number(last.n)} the mean of ${number(last.singles)} is too small in ${below} of ${macros} experiments, since nobody caught nearly the whole pond${below < macros ? ', and far too large in the others, since somebody did' : ''}. For n = ${number(ocean)} no simulation helps; the formula does.`,
  );
}

const averageOf = (values) => values.reduce((total, one) => total + one, 0) / values.length;

const observed = ({ runs }, catches) =>
  runs.reduce((total, { counts }) => total + counts.get(catches), 0);

/** The catches that the exercise names, those between, and n. */
function binsOf(n, total, countOf) {
  const named = oneTo(9).map((index) => index + 1);
  const expectedOf = (catches) => total * value(probabilityOf(catches, n));
  const each = [...named, n].map((catches) => [countOf(catches), expectedOf(catches)]);
  const rest = each.reduce(
    ([seen, expected], [one, more]) => [seen - one, expected - more],
    [total, total],
  );
  return [...each, rest];
}

/** How the catches that the exercise names are called, how probable they are, and how many fish they are. */
const namedCatches = [
  ...oneTo(10).map((m) => [String(m), fraction(probabilityOf(m, ocean)), () => m]),
  ['n − 1', '1/((n−1)(n−2))', (n) => n - 1],
  ['n', '1/(n−1)', (n) => n],
];

/** @param {readonly object[]} counted the largest experiments with the pond, the lake and the sea */
export function frequenciesText(counted, standard) {
  const totals = counted.map(({ singles }) => singles * macros);
  const rows = namedCatches.map(([name, probability, of]) => [
    name,
    probability,
    ...counted.flatMap((experiment, index) => {
      const m = of(experiment.n);
      const expected = totals[index] * value(probabilityOf(m, experiment.n));
      return [expectedText(expected), number(observed(experiment, m))];
    }),
    number(standard.counts.get(of(pond))),
  ]);
  return page(
    '### How often m fish',
    `The table counts the catches of ${listed(counted.map(({ n }, index) => `${number(totals[index])} fishermen with ${number(n)} fish`))}; its last column is for Park and Miller’s generator, and ${number(pond)} fish. A fisherman empties the pond with probability 1/(n−1), although the last fish is larger than his first in only 1 of n(n−1) cases: nearly always his first was the largest of all.`,
    table(
      [
        'm',
        'probability',
        ...counted.flatMap(({ n }) => [`n = ${number(n)}: expected`, 'counted']),
        'minimal standard',
      ],
      rows,
    ),
  );
}

const expectedText = (expected) =>
  expected < 10 ? String(Number(expected.toPrecision(1))) : number(Math.round(expected));

export function generatorText(compared, standard) {
  const total = compared.singles * macros;
  const twister = new Random(5489);
  for (let drawn = 1; drawn < 10_000; drawn++) twister.below(2 ** 32);
  const tenThousandth = (twister.below(2 ** 32) + 2 ** 31) % 2 ** 32; // below() begins at −2^31
  const park = new MinimalStandard(1);
  for (let drawn = 0; drawn < 10_000; drawn++) park.next();
  const squares = [
    ['The Mersenne twister', (catches) => observed(compared, catches)],
    ['The minimal standard', (catches) => standard.counts.get(catches)],
  ].map(([name, countOf]) => {
    const { value, freedom, chance } = chiSquare(binsOf(compared.n, total, countOf));
    return `${name}: χ² = ${fixed(value, 2)} with ${freedom} degrees of freedom, a value exceeded with probability ${fixed(chance, 2)}`;
  });
  return page(
    '### The generator',
    `All random numbers of Conclave come from [one generator](../../packages/core/src/base/random.ts): the Mersenne twister MT19937 (M. Matsumoto, T. Nishimura: ACM TOMACS 8:1, 1998), in the implementation of \`pure-rand\`. From its reference seed 5489 its 10,000th number is ${number(tenThousandth)}, as the standard library of C++ prescribes. The exercise names S. K. Park and K. W. Miller (CACM 31:10, 1988): their *minimal standard* x → 16,807·x mod 2³¹ − 1 gives ${number(park.state)} after 10,000 steps from 1, as their paper says.`,
    table(
      ['', 'Mersenne twister', 'minimal standard'],
      [
        ['period', '2^19,937 − 1', `2^31 − 2 = ${number(2 ** 31 - 2)}`],
        [
          'equidistribution',
          '623 numbers in a row, of 32 bits each',
          '1 number; pairs lie on 16,807 lines',
        ],
        [
          'draws here',
          number(
            Math.round(
              averageOf(compared.runs.map(({ mean }) => mean)) * compared.singles * macros,
            ),
          ),
          number(Math.round(standard.mean * total)),
        ],
      ],
    ),
    `The frequencies above fit both. ${squares.join('. ')}. Only the Mersenne twister suits the larger ponds: ${number(sea)} fishermen at a sea of as many fish draw ${number(Math.round(meanNumber(sea) * sea))} numbers, ${fixed((meanNumber(sea) * sea) / (2 ** 31 - 2), 0)} times the whole period of the minimal standard, and a single number cannot choose among more than 2^31 − 2 fish.`,
  );
}
