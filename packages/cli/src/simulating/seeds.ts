/** The runs of several seeds, and what they have shown together. */
import type { Property, Verdict } from '@conclave/core/protocol';
import {
  type SimulationOptions,
  type SimulationResult,
  simulate,
  totalMessages,
} from '@conclave/core/simulation';
import { badInput } from '../errors.js';

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

/** What a summary keeps of the run of one seed: plain data, which can be sent between threads. */
export interface SeedOutcome
  extends Pick<
    SimulationResult,
    | 'seed'
    | 'host'
    | 'hostReason'
    | 'confirmed'
    | 'steps'
    | 'ended'
    | 'complete'
    | 'virtualMs'
    | 'properties'
    | 'violated'
    | 'fault'
  > {
  /** All messages sent. */
  readonly messages: number;
  /** Of each entry to the critical section, from the request to the entry, in virtual ms. */
  readonly waits: Float64Array;
  /** The mean of the run, in virtual ms; absent where no node waited at an exit. */
  readonly synchronisationDelay?: number;
}

/** What a summary keeps of this run. */
export function outcomeOf(result: SimulationResult): SeedOutcome {
  const {
    exclusion,
    seed,
    host,
    hostReason,
    confirmed,
    steps,
    ended,
    complete,
    virtualMs,
    properties,
    violated,
    fault,
  } = result;
  const { entries, synchronisationDelay } = exclusion;
  return {
    ...{ seed, host, steps, ended, complete, virtualMs, properties },
    messages: totalMessages(result),
    waits: Float64Array.from(entries, ({ requestedAt, enteredAt }) => enteredAt - requestedAt),
    ...(synchronisationDelay === undefined ? {} : { synchronisationDelay }),
    ...(hostReason === undefined ? {} : { hostReason }),
    ...(confirmed === undefined ? {} : { confirmed }),
    ...(violated === undefined ? {} : { violated }),
    ...(fault === undefined ? {} : { fault }),
  };
}

/** Where values lie. Each number is one of the values: quantiles by nearest rank. */
interface Quantiles {
  readonly min: number;
  /** The least value that is at least as large as 5 % of the values. */
  readonly p5: number;
  /**
   * The least value that is at least as large as half of the values: of two in the middle, the
   * smaller.
   */
  readonly median: number;
  /** The least value that is at least as large as 95 % of the values. */
  readonly p95: number;
  readonly max: number;
}

/**
 * The quantiles of these values by nearest rank: of n values in order, the p % quantile is the one
 * at place ⌈p·n / 100⌉, counted from 1 (definition 1 of Hyndman and Fan, The American Statistician
 * 50:4, 1996). Undefined without values.
 */
export function quantiles(values: Iterable<number>): Quantiles | undefined {
  const sorted = Float64Array.from(values).sort();
  const at = (percent: number) =>
    sorted[Math.max(1, Math.ceil((percent * sorted.length) / 100)) - 1] as number; // an index of `sorted`
  return sorted.length === 0
    ? undefined
    : { min: at(0), p5: at(5), median: at(50), p95: at(95), max: at(100) };
}

/** A mean over independent runs. */
interface Estimate {
  readonly mean: number;
  /**
   * The 95 % confidence interval of the expected value, by Student's t distribution; absent with
   * fewer than two runs.
   */
  readonly interval?: readonly [least: number, most: number];
}

/** The estimate from a value of each run; undefined without values. */
export function estimate(values: readonly number[]): Estimate | undefined {
  const count = values.length;
  if (count === 0) return undefined;
  const mean = values.reduce((sum, value) => sum + value, 0) / count;
  if (count === 1) return { mean };
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const half = tQuantile(count - 1) * Math.sqrt(squares / (count - 1) / count);
  return { mean, interval: [mean - half, mean + half] };
}

/** The 97.5 % quantiles of Student's t distribution with 1, 2 … degrees of freedom. */
const few = [12.7062, 4.30265, 3.18245, 2.77645, 2.57058, 2.44691, 2.36462, 2.306, 2.26216];

/** The same of the normal distribution. */
const z = 1.959964;

/** From 10 degrees of freedom by the expansion of Cornish and Fisher, to a thousandth. */
export function tQuantile(freedom: number): number {
  const known = few[freedom - 1];
  if (known !== undefined) return known;
  const first = (z ** 3 + z) / 4;
  const second = (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96;
  const third = (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / 384;
  return z + first / freedom + second / freedom ** 2 + third / freedom ** 3;
}
