import type { Exploration, ExploreOptions } from '@conclave/core/exploration';
import { atOnce, exploreInSlices, type Slices } from '@conclave/core/internal/exploration';
import { isOfRuns } from '@conclave/core/internal/protocol';
import type { System } from './system.js';

/** How a system is checked; its budget is in its setup. */
export interface CheckInput {
  readonly fairness?: NonNullable<ExploreOptions['fairness']>;
  readonly search?: NonNullable<ExploreOptions['search']>;
  /** Judge only properties of states, which takes less memory: runs are not kept. */
  readonly safety?: boolean;
  readonly limits?: CheckLimits;
}

export interface CheckLimits {
  /** Default: none. */
  readonly states?: number;
  /** Megabytes for worlds and edges. Default {@link usualMemory}. */
  readonly memory?: number;
  /** Default: none. */
  readonly seconds?: number;
}

/**
 * Megabytes. A browser does not say how much memory a page may take; a tab of 64 bits usually has
 * more than twice this.
 */
export const usualMemory = 1000;

/** From time to time. */
export interface CheckProgress {
  readonly states: number;
  readonly transitions: number;
  readonly depth: number;
  readonly seconds: number;
  /** What the found worlds decide: a `sometimes` is reached, another property is violated. */
  readonly decided: readonly Pick<Exploration['properties'][number], 'name' | 'kind'>[];
}

/** What `explore` found, and what it was not asked. Plain data. */
export interface Checked extends Exploration {
  /** As it was asked, with the defaults. */
  readonly input: Required<CheckInput>;
  /**
   * The names of the properties that were left out: with {@link CheckInput.safety}, those of runs.
   */
  readonly leftOut: readonly string[];
}

/**
 * Explores every interleaving of a system.
 *
 * @throws {ConclaveError} as `explore` does.
 */
export const check = (...given: Parameters<typeof checkInSlices>): Checked =>
  atOnce(checkInSlices(...given));

/** The same in slices of some milliseconds: see `exploreInSlices`. */
export function* checkInSlices(
  { protocol, topology, setup, worlds }: System,
  input: CheckInput,
  onProgress: (progress: CheckProgress) => void,
): Slices<Checked> {
  const { limits: given = {}, safety = false, fairness = 'weak', search = 'breadth' } = input;
  const { properties } = protocol;
  const limits = { memory: usualMemory, ...given };
  let started = performance.now();
  const slices = exploreInSlices(protocol, topology, {
    ...setup.budget,
    time: worlds.budget.time ?? 'untimed', // with the tick that numbers the actions of the session
    ...{ fairness, search },
    properties: safety ? properties.filter((property) => !isOfRuns(property)) : properties,
    coverage: true,
    limits,
    onProgress: (states, transitions, depth, decided) =>
      onProgress({
        ...{ states, transitions, depth, seconds: (performance.now() - started) / 1000 },
        decided: decided.map(({ name, kind }) => ({ name, kind })),
      }),
  });
  let slice = slices.next();
  for (; !slice.done; slice = slices.next()) {
    const before = performance.now();
    yield;
    started += performance.now() - before;
  }
  const found = slice.value;
  return {
    ...found,
    input: { fairness, search, safety, limits },
    leftOut: safety ? properties.filter(isOfRuns).map(({ name }) => name) : [],
  };
}
