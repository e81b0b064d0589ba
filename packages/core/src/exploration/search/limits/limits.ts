/** Where a search stops; it is incomplete then. */
export interface Limits {
  readonly states?: number;
  /**
   * Megabytes that the exploration may take, including objects and garbage, from the call to the
   * last verdict. Default: three quarters of the memory of this machine or container. A heap that
   * is nearly full ends the search in any case.
   */
  readonly memory?: number;
  /** From the call to the last verdict. */
  readonly seconds?: number;
  readonly depth?: number;
  /** Called from time to time; true ends the search. */
  readonly stop?: () => boolean;
}

/** What ended a search: a limit, or `interrupted` for {@link Limits.stop}. */
export type Limit = Exclude<keyof Limits, 'stop'> | 'interrupted';
