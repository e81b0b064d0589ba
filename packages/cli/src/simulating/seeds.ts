/**
 * The runs of several seeds, and what they have shown together. A summary is made of a small
 * outcome of each run, so runs may be simulated in other threads or on other machines, in any
 * order.
 */
import type { Property, Verdict } from '@conclave/core/protocol';
import {
  type SimulationOptions,
  type SimulationResult,
  simulate,
  totalMessages,
} from '@conclave/core/simulation';
import { badInput } from '../errors.js';
import { type Estimate, estimate, type Quantiles, quantiles, sum } from './statistics.js';

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
  const [distribution, mean] = [quantiles(values), estimate(ofRuns)];
  return distribution && mean && { ...distribution, ...mean };
}

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
