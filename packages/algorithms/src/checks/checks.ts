/**
 * What the checks of all algorithms must know about one. Its folder's `checks.ts` exports:
 *
 * - `mutants`: {@link Mutants}
 * - `verified`: the larger systems that `npm run verify` explores
 * - `parts`, `pictures`: further generated parts of its page, as text or as runs
 * - `loss`: the share of messages that is lost in the run on its page. Default 0
 *
 * It is not shipped, and most algorithms need none.
 */
import type { MutateOptions, MutationSystem } from '@conclave/core/mutation';
import type { Protocol } from '@conclave/core/protocol';
import type { Trace } from '@conclave/core/trace';

/** How the mutants of a protocol are explored; its folder's `mutants.json` says why some pass. */
interface MutantChecks {
  /** The systems on which its mutants are explored. Default: `defaultSystems`. */
  readonly systems?: (protocol: Protocol) => readonly MutationSystem[];
  /**
   * Larger systems, and how many walks of how many steps go through each: for the mutants
   * that the systems leave open. Default: none.
   *
   * @example walks: () => [{ topology: complete(4), budget: { crashes: 2 }, walks: 500, steps: 200 }]
   */
  readonly walks?: (protocol: Protocol) => NonNullable<MutateOptions['walks']>;
  /**
   * How many states the protocol itself may have on a system, where its smallest systems have more
   * than usual. Default: that of `mutate`.
   */
  readonly states?: number;
  /** Regions that are the machine of another algorithm, and are mutated there. Default: none. */
  readonly parts?: readonly string[];
  /** True: no mutants without options; these have the same statechart, and reach more of it. */
  readonly instead?: true;
}

/**
 * By the options, such as `acknowledged=true`; `''` for none. Options that are not `charted` in the
 * entry are mutated, too.
 */
export type Mutants = Readonly<Record<string, MutantChecks>>;

/** By their markers: runs that a page shows. */
export type Pictures = Readonly<Record<string, { readonly title: string; readonly trace: Trace }>>;
