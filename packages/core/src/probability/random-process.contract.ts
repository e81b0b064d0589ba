/** Random decision processes, and how answers read in the tests. */
import fc from 'fast-check';
import type { Value } from './question.js';
import { toText } from './rational.js';

/** A fraction, `interval`, or `infinite`. */
export const answer = (value: Value): string =>
  value.kind === 'exact' ? toText(value.value) : value.kind;

export const goalSet = (goal: readonly boolean[]): Uint8Array => Uint8Array.from(goal, Number);

const branch = (states: number, costs: readonly number[]) =>
  fc.record({
    to: fc.nat(states - 1),
    weight: fc.constantFrom(1, 1, 1, 2, 3, 7),
    cost: fc.constantFrom(...costs),
  });

/** Many costs are 0, so that there are end components without costs. */
export const processOfSize = (states: number, choices: number) =>
  fc.record({
    plain: fc.array(
      fc.array(fc.array(branch(states, [0, 0, 0, 1, 2, 5]), { minLength: 1, maxLength: 3 }), {
        maxLength: choices,
      }),
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
