import type { Property } from '../../protocol/property.js';
import type { Verdict } from '../../protocol/verdict.js';
import type { SimulationResult } from '../result.js';
import { type Estimate, estimate } from './estimate.js';
import type { SeedOutcome } from './outcome.js';
import { type Quantiles, quantiles } from './quantiles.js';

/** Where values lie, and the mean over the runs. */
export type Figure = Quantiles & Estimate;

/** What the runs of several seeds have shown. */
export interface SeedsSummary {
  /** How many seeds were simulated to the end of their run. */
  readonly runs: number;
  /** What ran the nodes; undefined without runs. Every run of a system has the same. */
  readonly host: SimulationResult['host'] | undefined;
  /** With `actors`: why. */
  readonly hostReason?: string;
  /** Steps of nodes, in all runs. */
  readonly steps: number;
  /** With `compiled`: how many of them XState has repeated, with the same outcome. */
  readonly confirmed?: number;
  /** How many of these runs are `complete`, as {@link SimulationResult} defines it. */
  readonly complete: number;
  /** How the runs ended, and how often; what never occurred is absent, as in `verdicts`. */
  readonly ended: Readonly<Partial<Record<SimulationResult['ended'], number>>>;
  /** Messages sent, a value a run; undefined without runs, as the next. */
  readonly messages: Figure | undefined;
  /** The virtual time at the end, in ms, a value a run. */
  readonly virtualMs: Figure | undefined;
  /**
   * From the request to the entry, in virtual ms, a value an entry of any run; undefined without
   * entries. The mean is that of the means of the runs, which are independent of each other.
   */
  readonly wait: Figure | undefined;
  /** How many entries there were. */
  readonly entries: number;
  /**
   * The mean synchronisation delay, in virtual ms, a value for each run that has one; undefined
   * where none has.
   */
  readonly synchronisationDelay: Figure | undefined;
  /** Each property, and in how many runs it got each verdict. */
  readonly properties: readonly {
    readonly name: string;
    readonly kind: Property['kind'];
    readonly verdicts: Readonly<Partial<Record<Verdict, number>>>;
  }[];
  /**
   * The runs that violate a property: which one they violate first, and how they broke the node
   * contract, as in {@link SimulationResult}. By seed.
   */
  readonly violations: readonly {
    readonly seed: number;
    readonly violated: string;
    readonly fault?: string;
  }[];
}

/** The summary of these runs. Their order has no effect. */
export function summaryOf(outcomes: readonly SeedOutcome[]): SeedsSummary {
  const sorted = outcomes.toSorted((a, b) => a.seed - b.seed);
  const waits = sorted.flatMap(({ waits }) => Array.from(waits));
  const { host, hostReason, confirmed } = sorted[0] ?? { host: undefined };
  return {
    runs: sorted.length,
    host,
    ...(hostReason === undefined ? {} : { hostReason }),
    steps: sum(sorted.map(({ steps }) => steps)),
    ...(confirmed === undefined
      ? {}
      : { confirmed: sum(sorted.map(({ confirmed = 0 }) => confirmed)) }),
    complete: sorted.filter(({ complete }) => complete).length,
    ended: counts(sorted.map(({ ended }) => ended)),
    messages: figureOf(sorted.map(({ messages }) => messages)),
    virtualMs: figureOf(sorted.map(({ virtualMs }) => virtualMs)),
    wait: figureOf(
      waits,
      sorted.flatMap(({ waits }) => estimate(Array.from(waits))?.mean ?? []),
    ),
    entries: waits.length,
    synchronisationDelay: figureOf(
      sorted.flatMap(({ synchronisationDelay }) => synchronisationDelay ?? []),
    ),
    properties: propertiesOf(sorted),
    violations: sorted.flatMap(({ seed, violated, fault }) =>
      violated === undefined ? [] : [{ seed, violated, ...(fault === undefined ? {} : { fault }) }],
    ),
  };
}

/** @param ofRuns a value for each run that has one; default: there is only one a run */
function figureOf(values: readonly number[], ofRuns = values): Figure | undefined {
  const [places, means] = [quantiles(values), estimate(ofRuns)];
  return places && means && { ...places, ...means };
}

const sum = (values: readonly number[]): number =>
  values.reduce((total, value) => total + value, 0);

/**
 * In the order of the protocol; what only some runs report, such as an unhandled message, follows.
 */
function propertiesOf(outcomes: readonly SeedOutcome[]): SeedsSummary['properties'] {
  const reports = outcomes.flatMap(({ properties }) => properties);
  const kinds = new Map(reports.map(({ name, kind }) => [name, kind]));
  return [...kinds].map(([name, kind]) => {
    const verdicts = reports.flatMap((report) => (report.name === name ? report.verdict : []));
    return { name, kind, verdicts: counts(verdicts) };
  });
}

function counts<K extends string>(found: readonly K[]): Readonly<Partial<Record<K, number>>> {
  const counts: Partial<Record<K, number>> = {};
  for (const key of found) counts[key] = (counts[key] ?? 0) + 1;
  return counts;
}
