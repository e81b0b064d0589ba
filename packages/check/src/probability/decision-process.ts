import { badInput } from '../base/bad-input.js';
import type { Rational } from './rational.js';

/**
 * A Markov decision process in arrays. A state without choices is an end.
 */
export interface DecisionProcess {
  readonly states: number;
  /** The choices of state s: firstChoice[s] … firstChoice[s + 1] − 1. Length: states + 1. */
  readonly firstChoice: Int32Array;
  /** The branches of choice c: firstBranch[c] … firstBranch[c + 1] − 1. Length: choices + 1. */
  readonly firstBranch: Int32Array;
  /** By branch. */
  readonly targets: Int32Array;
  /**
   * By branch: a positive safe integer. The probability of a branch is its weight over the sum of
   * the weights of its choice.
   */
  readonly weights: Float64Array;
  /** By branch: a safe integer, not negative. */
  readonly costs: Float64Array;
}

/** Over all schedulers. */
export type Extreme = 'least' | 'greatest';

/** What is asked about a process, from one of its states on. */
export interface Question {
  /** By state: 1 for the states to reach. */
  readonly goal: Uint8Array;
  readonly extreme: Extreme;
  /** Default: 0. */
  readonly initial?: number;
  /** Told about the work that is done; ends it by what it throws. */
  readonly watch?: { tick(weight?: number): void };
}

/** The answer. A value that is not proved is no fraction. */
export type Value =
  | { readonly kind: 'exact'; readonly value: Rational }
  /** Least ≤ value ≤ greatest, in spite of all rounding. */
  | { readonly kind: 'interval'; readonly least: number; readonly greatest: number }
  /** An expected cost without bound, since a run may never reach the goal. */
  | { readonly kind: 'infinite'; readonly lasso: Lasso };

/** A run that never reaches the goal. */
export interface Lasso {
  /** The branches that it takes, from the initial state on. */
  readonly branches: readonly number[];
  /** The branch that it continues with after the last; their number, if it ends there. */
  readonly loopsFrom: number;
}

/** @throws {ConclaveError} for a choice without branches, and for a weight or cost that is none. */
export function checkProcess({ firstBranch, weights, costs }: DecisionProcess): void {
  for (let choice = 0; choice + 1 < firstBranch.length; choice++)
    if (firstBranch[choice] === firstBranch[choice + 1])
      throw badInput(`Choice ${choice} of the decision process has no branches`);
  for (let branch = 0; branch < weights.length; branch++) {
    const [weight, cost] = [weights[branch] as number, costs[branch] as number];
    if (!Number.isSafeInteger(weight) || weight < 1)
      throw badInput(
        `The weight ${weight} of branch ${branch} is not a positive whole number`,
        'Multiply the weights of its choice by a common denominator',
      );
    if (!Number.isSafeInteger(cost) || cost < 0)
      throw badInput(`The cost ${cost} of branch ${branch} is not a whole number from 0 on`);
  }
}

/** The part of a process that a question is about, and its branches from their targets back. */
export interface Scope {
  readonly process: DecisionProcess;
  readonly goal: Uint8Array;
  readonly initial: number;
  readonly watch: { tick(weight?: number): void };
  /** The states that runs from the initial state reach before they leave a goal, in that order. */
  readonly reached: Int32Array;
  /** By state: 1 for those of them that are no goal. */
  readonly isOpen: Uint8Array;
  /** By choice: its state. */
  readonly owners: Int32Array;
  /**
   * The choices of open states that lead to state t, once for each branch: incoming[firstIncoming[t]]
   * … incoming[firstIncoming[t + 1] − 1].
   */
  readonly firstIncoming: Int32Array;
  readonly incoming: Int32Array;
}

export function scopeOf(process: DecisionProcess, question: Question): Scope {
  const { goal, initial = 0, watch = { tick: () => {} } } = question;
  const { states, firstChoice, firstBranch, targets } = process;
  const isOpen = new Uint8Array(states);
  const reached = reachedFrom(process, goal, initial, isOpen);
  const choices = firstChoice[states] as number;
  const owners = new Int32Array(choices);
  const firstIncoming = new Int32Array(states + 1);
  const forBranches = (visit: (choice: number, target: number) => void): void => {
    for (const state of reached) {
      if (isOpen[state] === 0) continue;
      watch.tick();
      for (let choice = at(firstChoice, state); choice < at(firstChoice, state + 1); choice++)
        for (let branch = at(firstBranch, choice); branch < at(firstBranch, choice + 1); branch++)
          visit(choice, at(targets, branch));
    }
  };
  for (let state = 0; state < states; state++)
    owners.fill(state, firstChoice[state], firstChoice[state + 1]);
  forBranches((_, target) => {
    firstIncoming[target + 1] = at(firstIncoming, target + 1) + 1;
  });
  for (let state = 0; state < states; state++)
    firstIncoming[state + 1] = at(firstIncoming, state + 1) + at(firstIncoming, state);
  const next = firstIncoming.slice();
  const incoming = new Int32Array(at(firstIncoming, states));
  forBranches((choice, target) => {
    const place = at(next, target);
    incoming[place] = choice;
    next[target] = place + 1;
  });
  return { process, goal, initial, watch, reached, isOpen, owners, firstIncoming, incoming };
}

/** The states that are reached, breadth first; marks those that are no goal in `isOpen`. */
function reachedFrom(
  { states, firstChoice, firstBranch, targets }: DecisionProcess,
  goal: Uint8Array,
  initial: number,
  isOpen: Uint8Array,
): Int32Array {
  const isReached = new Uint8Array(states);
  const reached = new Int32Array(states);
  let count = 0;
  const enter = (state: number): void => {
    if (isReached[state] === 1) return;
    isReached[state] = 1;
    isOpen[state] = goal[state] === 1 ? 0 : 1;
    reached[count++] = state;
  };
  enter(initial);
  for (let index = 0; index < count; index++) {
    const state = at(reached, index);
    if (isOpen[state] === 0) continue;
    const end = at(firstBranch, at(firstChoice, state + 1));
    for (let branch = at(firstBranch, at(firstChoice, state)); branch < end; branch++)
      enter(at(targets, branch));
  }
  return reached.slice(0, count);
}

/** An element that exists. */
export const at = (array: Int32Array | Float64Array, index: number): number =>
  array[index] as number; // the callers stay within the arrays of a process
