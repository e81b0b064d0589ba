import type { ConclaveError } from '../../../base/error.js';
import type { Fault, Visit } from '../kernel/kernel.js';

/** Time as the verdicts need it: only runs in which time diverges count. */
export interface SystemTime {
  /** The action by which a tick passes. */
  readonly tick: number;
  /**
   * Whether a clock runs in a state, or something is due. If not, time passes there without a
   * trace.
   */
  runs(state: Int32Array): boolean;
  /** Whether an action is a crash: none has to happen, so it does not get time going. */
  isCrash(action: number): boolean;
  /** The error for a state in which something is due that cannot happen. */
  stopped(state: Int32Array): ConclaveError;
}

/**
 * A system as the search sees it: a state is a vector of `width` integers, equal exactly if the
 * states are. The search does not know their meaning.
 */
export interface System {
  readonly width: number;
  /** The number of initial states; absent: one. */
  readonly starts?: number;
  /** Writes initial state number `start`. */
  initial(into: Int32Array, start: number): void;
  /**
   * Calls `visit` for each successor of `state` with the number of its action; the successor is in
   * `into` during the call. Calls `fault` for an action that fails.
   */
  expand(state: Int32Array, into: Int32Array, visit: Visit, fault: Fault): void;
  /** The approximate memory of the parts of states, besides their vectors; absent: very little. */
  readonly bytes?: number;
  /** In exact time. */
  readonly time?: SystemTime;
  /** Whether the next action is drawn at random in a state. Absent: in none. */
  draws?(state: Int32Array): boolean;
  /** The error of a step that was passed to `fault`. */
  errorOf(step: number): ConclaveError;
  /** The fairness class of an action; −1 for an unfair one. */
  fairness(action: number): number;
}
