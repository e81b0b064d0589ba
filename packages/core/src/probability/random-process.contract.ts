/** Random decision processes, and how answers read in the tests. */
import fc from 'fast-check';
import type { Value } from './decision-process.js';
import { toText } from './rational.js';

/** A fraction, `interval`, or `infinite`. */
export const answer = (value: Value): string =>
  value.kind === 'exact' ? toText(value.value) : value.kind;

export const goalSet = (goal: readonly boolean[]): Uint8Array => Uint8Array.from(goal, Number);

const fewWeights = [1, 1, 1, 2, 3, 7];

const branch = (states: number, costs: readonly number[], weights = fewWeights) =>
  fc.record({
    to: fc.nat(states - 1),
    weight: fc.constantFrom(...weights),
    cost: fc.constantFrom(...costs),
  });

const most = Number.MAX_SAFE_INTEGER;
const largeWeights = [1, 3, 2 ** 20 + 7, 2 ** 31 - 1, 2 ** 40, 2 ** 52 + 1, most - 1, most];
const largeCosts = [0, 0, 0, 1, 2 ** 33 + 3, most];

/** Many costs are 0, so that there are end components without costs. */
export const processOfSize = (states: number, choices: number, areLarge = false) =>
  fc.record({
    plain: fc.array(
      fc.array(
        fc.array(
          areLarge ? branch(states, largeCosts, largeWeights) : branch(states, [0, 0, 0, 1, 2, 5]),
          { minLength: 1, maxLength: 3 },
        ),
        { maxLength: choices },
      ),
      { minLength: states, maxLength: states },
    ),
    goal: fc.array(
      fc.nat(3).map((die) => die === 0),
      { minLength: states, maxLength: states },
    ),
  });

export const smallProcess = fc
  .record({ states: fc.integer({ min: 1, max: 6 }), choices: fc.integer({ min: 1, max: 3 }) })
  .chain(({ states, choices }) => processOfSize(states, choices));

export const chainOf = (states: number) =>
  fc.array(fc.array(branch(states, [0, 1, 2, 3]), { minLength: 1, maxLength: 3 }), {
    minLength: states,
    maxLength: states,
  });
