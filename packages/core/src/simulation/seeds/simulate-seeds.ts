import { badInput } from '../../base/error.js';
import { seedsOptions } from '../../options/simulation.js';
import { checkOptions } from '../../schema/check.js';
import type { SimulationOptions } from '../options.js';
import { simulate } from '../simulate.js';
import { outcomeOf, type SeedOutcome } from './outcome.js';
import { type SeedsSummary, summaryOf } from './summary.js';

export interface SeedsOptions extends Omit<SimulationOptions, 'seed' | 'record' | 'onProgress'> {
  /** The seeds `from`, `from` + 1 … `to`. */
  readonly seeds: { readonly from: number; readonly to: number };
  /**
   * Whether the first seed whose run violates a property is the last that is simulated. Default
   * false.
   */
  readonly failFast?: boolean;
  /** Called after each run. */
  readonly onRun?: (outcome: SeedOutcome) => void;
}

/**
 * Simulates the same system with each seed, one after the other, and sums up what the runs have
 * shown.
 *
 * Where `until.stop` returns true, the run of that moment is left out, and the summary is of the
 * runs before it.
 *
 * @throws {ConclaveError} `bad-topology`, `bad-input`.
 * @example const { violations } = simulateSeeds({ protocol, topology: complete(5), workload:
 * closedLoop(), seeds: { from: 1, to: 1000 } });
 */
export function simulateSeeds(options: SeedsOptions): SeedsSummary {
  checkOptions('simulateSeeds', seedsOptions, options);
  const { seeds, failFast = false, onRun = () => {}, ...run } = options;
  const { from, to } = seeds;
  if (from > to)
    throw badInput(
      `simulateSeeds: seeds goes from ${from} to ${to}`,
      `Give { from: ${to}, to: ${from} }.`,
    );
  const outcomes: SeedOutcome[] = [];
  for (let seed = from; seed <= to && run.until?.stop?.() !== true; seed++) {
    const result = simulate({ ...run, seed });
    if (result.ended === 'interrupted') break;
    const outcome = outcomeOf(result);
    outcomes.push(outcome);
    onRun(outcome);
    if (failFast && outcome.violated !== undefined) break;
  }
  return summaryOf(outcomes);
}
