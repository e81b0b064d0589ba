/** Which parts of a role's statechart an exploration has used. */
export interface RoleCoverage {
  readonly role: string;
  /** How many transitions it has, and how many of them were taken. */
  readonly transitions: number;
  readonly taken: number;
  /**
   * The transitions that were never taken, such as
   * `released.away: always [tokenIsHere] → released.here`.
   */
  readonly missed: readonly string[];
  /**
   * The results of guards. A guard that was never evaluated is in neither list: its transition is
   * among the missed.
   */
  readonly guards: {
    /** How many were evaluated at least once. */
    readonly asked: number;
    /**
     * Those that were evaluated and never true, by their transitions: such as
     * `wanted: request [oursIsOlder]`.
     */
    readonly neverTrue: readonly string[];
    readonly neverFalse: readonly string[];
  };
  /** Innermost states that were never entered. */
  readonly unentered: readonly string[];
  /**
   * Messages that the role handles in some state but that never arrived in this one, such as
   * `wanted: reply`.
   */
  readonly undelivered: readonly string[];
}

/** What was used of one role's statechart, as plain data: of several searches it can be joined. */
export interface RoleUsage {
  readonly role: string;
  readonly transitions: readonly {
    readonly text: string;
    readonly taken: boolean;
    /** The results of its guard. */
    readonly answers: readonly boolean[];
  }[];
  /** The innermost states. */
  readonly states: readonly { readonly path: string; readonly entered: boolean }[];
  /** The messages that some state handles. */
  readonly handled: readonly string[];
  /** Such as `wanted: reply`. */
  readonly delivered: readonly string[];
}

export function coverageOf({
  role,
  transitions,
  states,
  handled,
  delivered,
}: RoleUsage): RoleCoverage {
  const missed = transitions.filter(({ taken }) => !taken);
  const asked = transitions.filter(({ answers }) => answers.length > 0);
  const entered = states.filter((state) => state.entered);
  const pairs = entered.flatMap(({ path }) => handled.map((type) => `${path}: ${type}`));
  const arrived = new Set(delivered);
  return {
    role,
    transitions: transitions.length,
    taken: transitions.length - missed.length,
    missed: missed.map(({ text }) => text),
    guards: {
      asked: asked.length,
      neverTrue: asked.filter(({ answers }) => !answers.includes(true)).map(({ text }) => text),
      neverFalse: asked.filter(({ answers }) => !answers.includes(false)).map(({ text }) => text),
    },
    unentered: states.filter((state) => !state.entered).map(({ path }) => path),
    undelivered: pairs.filter((pair) => !arrived.has(pair)),
  };
}

/** What any of several searches of one protocol has used. */
export function joinedUsage([
  first,
  ...others
]: readonly (readonly RoleUsage[])[]): readonly RoleUsage[] {
  if (!first) return [];
  return first.map((usage, place) => {
    const all = [usage, ...others.flatMap((roles) => roles[place] ?? [])]; // in the same order
    return {
      ...usage,
      transitions: usage.transitions.map(({ text }, index) => ({
        text,
        taken: all.some(({ transitions }) => transitions[index]?.taken),
        answers: [...new Set(all.flatMap(({ transitions }) => transitions[index]?.answers ?? []))],
      })),
      states: usage.states.map(({ path }, index) => ({
        path,
        entered: all.some(({ states }) => states[index]?.entered),
      })),
      delivered: [...new Set(all.flatMap(({ delivered }) => delivered))],
    };
  });
}
