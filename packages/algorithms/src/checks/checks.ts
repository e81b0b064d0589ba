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
import type { ExploreOptions, MutateOptions, MutationSystem } from '@conclave/check';
import type { Protocol } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
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
 * By the options, such as `acknowledged=true`; `withoutOptions` for none. Options that are not
 * `charted` in the entry are mutated, too.
 */
export type Mutants = Readonly<Record<string, MutantChecks>>;

/** By their markers: runs that a page shows. */
export type Pictures = Readonly<Record<string, { readonly title: string; readonly trace: Trace }>>;

// The systems that `npm run verify` explores, too large for the tests: `verified` in `checks.ts`.

export type Run = readonly [protocol: Protocol, topology: Topology, options?: ExploreOptions];

/** One row of docs/verified-systems.md; states and transitions of several runs are added up. */
export interface VerifiedSystem {
  readonly system: string;
  readonly options: string;
  readonly runs: readonly Run[];
  /** The names of the properties that do not hold. Default: all hold. */
  readonly violated?: readonly string[];
  /** Only with `--all`: it takes minutes, and up to 12 GB. */
  readonly large?: true;
}

export type Verified = () => readonly VerifiedSystem[];

export const runs = (system: string, options: string, all: readonly Run[]): VerifiedSystem => ({
  system,
  options,
  runs: all,
});

export const run = (system: string, options: string, ...one: Run): VerifiedSystem =>
  runs(system, options, [one]);

/** Of one algorithm, whose id and name begin their names. */
export const systemsOf = (
  name: string,
  all: readonly VerifiedSystem[],
): readonly VerifiedSystem[] => all.map((each) => ({ ...each, system: `${name}, ${each.system}` }));

export const violating = (
  system: VerifiedSystem,
  ...violated: readonly string[]
): VerifiedSystem => ({ ...system, violated });

export const large = (system: VerifiedSystem): VerifiedSystem => ({ ...system, large: true });
