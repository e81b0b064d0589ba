import type { MutationSystem } from '@conclave/core/mutation';
import type { Protocol } from '@conclave/core/protocol';

/** What is known of the mutants of a protocol with one set of options. */
export interface MutationNotes {
  /** Where its mutants are explored. Default: where it is usual. */
  readonly systems?: (protocol: Protocol) => readonly MutationSystem[];
  /** Why those survive that do: a line each, by the mutant's id. */
  readonly reasons: Reasons;
}

type Reasons = Readonly<Record<string, string>>;

/** By the options, as the subject's name has them: `''` for none, `acknowledged=true`. Options that are not in the catalogue make a subject more. */
export type NotesByOptions = Readonly<Record<string, MutationNotes>>;

/**
 * One reason for several mutants.
 *
 * @example reasons: { ...because('Nothing overtakes the token', 'idle: token #2 ignore', 'idle: token #3 ignore') }
 */
export const because = (why: string, ...ids: readonly string[]): Reasons => Object.fromEntries(ids.map((id) => [id, why]));
