/** Where a search stops short; then it is incomplete, and says so. */
export interface Limits {
  readonly states?: number;
  /**
   * Megabytes that the exploration may take, objects and garbage included, from its beginning to its last verdict. Default: three quarters of what
   * this machine or container has. Whatever is said, a heap that is nearly full ends the search.
   */
  readonly memory?: number;
  /** From the beginning, while the system is built, to the last verdict. */
  readonly seconds?: number;
  readonly depth?: number;
  /** Asked now and then; true ends the search, as a person who does not want to wait any longer. */
  readonly stop?: () => boolean;
}

/** What ended a search: a limit, or `interrupted` for {@link Limits.stop}. */
export type Limit = Exclude<keyof Limits, 'stop'> | 'interrupted';
