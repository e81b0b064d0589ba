import type { MutationSystem } from '@conclave/core/mutation';
import type { Protocol } from '@conclave/core/protocol';

/** Systems and reasons for the mutants of a protocol with one set of options. */
export interface MutationNotes {
  /** The systems on which its mutants are explored. Default: `defaultSystems`. */
  readonly systems?: (protocol: Protocol) => readonly MutationSystem[];
  /**
   * How many states the protocol itself may have on a system, where its smallest systems have more
   * than usual. Default: that of `mutate`.
   */
  readonly states?: number;
  /** Regions that are the machine of another row, where their mutants are. Default: none. */
  readonly parts?: readonly string[];
  /**
   * Whether there is no row without options: these have the same statechart, and reach more of it.
   */
  readonly instead?: true;
  /** By the mutant's id: why it survives, in one line. */
  readonly reasons: Reasons;
}

type Reasons = Readonly<Record<string, string>>;

/**
 * By the options as in the subject's name: `''` for none, `acknowledged=true`. Options that are not
 * in the catalogue add a subject.
 */
export type NotesByOptions = Readonly<Record<string, MutationNotes>>;

/**
 * One reason for several mutants.
 *
 * @example reasons: { ...because('Nothing overtakes the token', 'idle: token #2 ignore', 'idle:
 * token #3 ignore') }
 */
export const because = (why: string, ...ids: readonly string[]): Reasons =>
  Object.fromEntries(ids.map((id) => [id, why]));
