import type { Extreme } from './decision-process.js';
import type { Rational } from './rational.js';

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
