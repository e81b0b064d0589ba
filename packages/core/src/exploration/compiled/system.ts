import type { ConclaveError } from '../../protocol/error.js';
import type { Fault, Visit } from './expander.js';

/**
 * A system as the search sees it: a state is a vector of `width` integers, equal exactly if the states are.
 * Whatever the integers stand for, the search never asks.
 */
export interface Compiled {
  readonly width: number;
  /** In how many states runs may begin; absent: in one. */
  readonly starts?: number;
  /** Writes a first state: that of number `start`, or the only one. */
  initial(into: Int32Array, start: number): void;
  /**
   * Calls `visit` for each state that follows `state`, with the number of the action that leads there; the successor stands in `into` for
   * the time of the call. An action that breaks the rules of the system is told to `fault` instead.
   */
  expand(state: Int32Array, into: Int32Array, visit: Visit, fault: Fault): void;
  /** About how much memory it takes for what states are made of, beside their vectors; absent: next to none. */
  readonly bytes?: number;
  /** Whether {@link expand} goes by what `visit` answers, which takes time. */
  readonly asks?: boolean;
  /** What is wrong with a step that was told to `fault`. */
  errorOf(step: number): ConclaveError;
  /** What the environment may not put off for ever (see liveness): the class of a fair action; −1 for an unfair one. */
  fairness(action: number): number;
}
