/** The systems that `npm run verify` explores, too large for the tests: `verified` in `checks.ts`. */
import type { ExploreOptions } from '@conclave/core/exploration';
import type { Protocol } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';

export type Run = readonly [protocol: Protocol, topology: Topology, options?: ExploreOptions];

/** One row of docs/verified.md; states and transitions of several runs are added up. */
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
