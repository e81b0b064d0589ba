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
