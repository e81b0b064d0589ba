/** A request, with the priority 0 without the option `priority`. */
export interface Ranked {
  readonly ballot: number;
  readonly priority?: number;
}

/** Whether `one` is served before `other`: of a higher priority, or of the same one and older. */
export const isBefore = (one: Ranked, other: Ranked): boolean => {
  const more = (one.priority ?? 0) - (other.priority ?? 0);
  return more > 0 || (more === 0 && one.ballot < other.ballot);
};
