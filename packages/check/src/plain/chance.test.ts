/** Published expectations and probabilities, as the fractions that they are. */
import { proof, quickOf } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import type { Extremes } from '../expected/figures.js';
import {
  asynchronousElection,
  type Candidate,
  contention,
  hermanBits,
  hermanTokens,
  type Picking,
  type SharedCoin,
  sharedCoin,
  synchronousElection,
} from './chance.contract.js';
import { expectedOfSystem, type PlainExpectedOptions } from './plain-expectation.js';

const fractions = (extremes: Extremes<unknown> | undefined): readonly (string | undefined)[] =>
  [extremes?.least, extremes?.greatest].map((figure) =>
    figure?.kind === 'exact' ? figure.fraction : figure?.kind,
  );
/** Under all schedulers. */
const always = (fraction: string) => [fraction, fraction];

describe('elections of A. Itai and M. Rodeh, as models of the benchmarks of PRISM', () => {
  const rounds: PlainExpectedOptions<readonly Candidate[], readonly [string, number]> = {
    // once a round, a process sends the counter
    cost: ({ action: [what, who] }) => (what === 'counter' && who === 0 ? 1 : 0),
    until: (ring) => ring.some(({ mode }) => mode === 'leader'),
  };

  it.each(
    quickOf(
      [
        [3, 364, '10/3'],
        [4, 3_172, '30/7'],
        [5, 27_299, '1586/315'],
      ],
      ([size]) => size === 3,
    ),
  )('asynchronous, on a ring of %i: %i states, and %s rounds', (size, states, expectation) => {
    const found = expectedOfSystem(asynchronousElection(size), rounds);
    expect(fractions(found.expectation)).toEqual(always(expectation));
    expect(fractions(found.probability)).toEqual(always('1'));
    // a state more for each process that may toss: there a scheduler has chosen it
    expect(found.states - (found.draws ?? 0)).toBe(states);
  });

  it.each(
    quickOf(
      [
        [3, 2, 26, '4/3'],
        [3, 3, 69, '9/8'],
        [3, 4, 147, '16/15'],
        [4, 2, 61, '2'],
        [4, 3, 274, '27/20'],
        [4, 4, 812, '32/27'],
      ],
      ([, , states]) => states <= 200,
    ),
  )('synchronous, %i processes with %i ids: %i states, and %s rounds', (...row) => {
    const [size, ids, states, expectation] = row;
    const found = expectedOfSystem(synchronousElection(size, ids), {
      cost: ({ state }: { state: Picking }) => (state.phase === 'pick' ? 1 : 0),
    });
    expect({ ...found, ...row }).toMatchObject({ states, draws: 1 });
    expect(fractions(found.expectation)).toEqual(always(expectation));
  });
});

describe("Herman's ring: the worst state has three tokens, as far apart as possible", () => {
  const worst = [
    [3, 2, '4/3'],
    [5, 4, '16/5'],
    [7, 10, '48/7'],
    [9, 30, '12'],
    [11, 94, '192/11'],
  ] as const;

  it.each(quickOf(worst, ([size]) => size <= 7))(
    '%i processes, %i states up to rotation: %s',
    (size, states, expectation) => {
      const found = expectedOfSystem(hermanTokens(size));
      expect(found.states).toBe(states);
      expect(fractions(found.expectation)).toEqual(['0', expectation]);
      expect(fractions(found.probability)).toEqual(always('1'));
      // three tokens at distances a + b + c = n take 4abc / n rounds (A. McIver, C. Morgan, 2005)
      const apart = (part: number) => Math.floor((size + part) / 3);
      const [a, b, c] = [apart(0), apart(1), apart(2)];
      const { greatest } = found.expectation ?? {};
      expect(greatest).toHaveProperty('value', (4 * a * b * c) / size);
    },
  );

  it.each(quickOf(worst.slice(0, 3), ([size]) => size <= 5))(
    '%i processes, bit by bit',
    (size, _, expectation) => {
      const found = expectedOfSystem(hermanBits(size));
      expect(found.states).toBe(2 ** size);
      expect(fractions(found.expectation)).toEqual(['0', expectation]);
    },
  );
});

describe('contention of FireWire', () => {
  const withinRounds = (within: number, weights = { short: 1, long: 1 }) =>
    fractions(expectedOfSystem(contention(weights), { within }).within);

  it('ends within j rounds with probability 1 − 2⁻ʲ', () => {
    const rounds = [0, 1, 2, 3, 10];
    const published = ['0', '1/2', '3/4', '7/8', '1023/1024'];
    expect(rounds.map((within) => withinRounds(within))).toEqual(published.map(always));
    expect(fractions(expectedOfSystem(contention({ short: 1, long: 1 })).expectation)).toEqual(
      always('2'),
    );
  });

  it('takes longer with another coin', () => {
    const weights = { short: 1, long: 3 };
    // equal draws: 1/16 + 9/16
    expect([1, 2].map((within) => withinRounds(within, weights))).toEqual([
      always('3/8'),
      always('39/64'),
    ]);
  });
});

describe('the shared coin of two processes in the benchmarks of PRISM', () => {
  // the exact values: benchmark `consensus` of QComp, solved by Storm
  const cases = [
    { bound: 2, states: 272, steps: ['48', '75'], heads: '49/128', differ: '13/120' },
    { bound: 4, states: 528, steps: ['192', '243'], heads: '1793/4096', differ: '251/4080' },
  ];
  const isFinished = ({ places }: SharedCoin) => places.every((place) => place === 'finished');
  const cost = ({ action: [what] }: { action: readonly [string, number] }) =>
    what === 'flip' ? 0 : 1;

  const until = (bound: number, wanted: (coins: readonly number[]) => boolean) =>
    expectedOfSystem(sharedCoin(2, bound), {
      cost,
      until: (state) => isFinished(state) && wanted(state.coins),
    });

  it.each(quickOf(cases, ({ bound }) => bound <= 2))(
    'K = $bound: takes $steps steps',
    ({ bound, states, steps }) => {
      const all = until(bound, () => true);
      expect(all.states - (all.draws ?? 0)).toBe(states);
      expect(fractions(all.expectation)).toEqual(steps);
      expect(fractions(all.probability)).toEqual(always('1'));
    },
  );

  proof.each(cases)('K = $bound: differs with $differ', ({ bound, heads, differ }) => {
    const [leastHeads] = fractions(until(bound, ([a, b]) => a === 1 && b === 1).probability);
    const different = until(bound, ([a, b]) => a !== b);
    expect([leastHeads, fractions(different.probability)]).toEqual([heads, ['0', differ]]);
    // where the coins are equal in the end, they never differ
    expect(fractions(different.expectation)).toEqual(always('infinite'));
  });
});
