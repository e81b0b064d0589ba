import type { MachineContext } from 'xstate';

/**
 * How a machine appears in the whole. By default its names have a prefix and its context is a
 * field, so that several parts do not clash.
 */
export interface Appearance {
  /**
   * It is the only part: its tags, commands, messages, notifications and context are those of the
   * whole.
   */
  readonly sole?: boolean;
  /** The whole enters it again, so nothing may survive its exit: no history, no delayed raise. */
  readonly again?: boolean;
  /** The fields that its messages carry in the whole in addition, from the context of the whole. */
  readonly stamp?: (context: MachineContext) => object;
  /**
   * The types of its notifications that the whole gets as events, too: `deliver` of the part
   * `group` as `group-deliver`.
   */
  readonly told?: readonly string[];
  /** The types of its commands that the whole never gives it. */
  readonly unused?: readonly string[];
  /**
   * By type of event: a guard of the whole, which each of its transitions on such an event needs in
   * addition to its own.
   */
  readonly needs?: Readonly<Record<string, string>>;
}
