/** Seeded runs within a protocol's assumptions, for the contract tests of all problems. */
import type { Protocol } from '@conclave/core/protocol';
import {
  type Conditions,
  closedLoop,
  type SimulationResult,
  simulate,
  type Workload,
} from '@conclave/core/simulation';
import type { Topology } from '@conclave/core/topology';
import { traceText } from '@conclave/core/trace';
import { failing } from './findings.contract.js';

const conditions: readonly Partial<Conditions>[] = [
  { order: 'fifo', delay: { kind: 'fixed', ms: 1 } },
  { order: 'fifo', delay: { kind: 'exponential', mean: 10 } },
  { order: 'any', delay: { kind: 'uniform', least: 0, most: 40 } },
  { order: 'any', delay: { kind: 'exponential', mean: 20 } },
  { order: 'any', delay: { kind: 'normal', mean: 10, deviation: 10 } },
];

/**
 * The conditions of a sweep: all that the protocol's assumptions allow; of delays, those within the
 * bounds if it assumes any.
 */
export const conditionsFor = ({ channels }: Protocol): readonly Partial<Conditions>[] =>
  boundedBy(channels).filter(({ order }) => channels.order === 'any' || order === 'fifo');

function boundedBy({ time = 'untimed' }: Protocol['channels']): readonly Partial<Conditions>[] {
  if (time === 'untimed') return conditions;
  const [least, most] = time.delay;
  return [
    { order: 'fifo', delay: { kind: 'fixed', ms: most } },
    { order: 'fifo', delay: { kind: 'uniform', least, most } },
    { order: 'any', delay: { kind: 'uniform', least, most } },
  ];
}

interface Sweep {
  readonly protocol: Protocol;
  readonly topologies: readonly Topology[];
  readonly workload: () => Workload;
  readonly seeds: readonly number[];
}

/** 1, 2, … */
export const seedsTo = (last: number): readonly number[] =>
  Array.from({ length: last }, (_, index) => index + 1);

/** The fault of a run, in one line; undefined if there is none. */
export function fault(result: SimulationResult): string | undefined {
  if (result.fault !== undefined) return result.fault;
  const bad = result.properties.find(({ verdict }) => verdict !== 'holds' && verdict !== 'reached');
  if (bad) return `${bad.kind} '${bad.name}' is ${bad.verdict}`;
  return result.complete ? undefined : `the run ended by its ${result.ended}`;
}

/** The number of runs, and the first that fails, with the trace that replays it. */
export function sweep({ protocol, topologies, workload, seeds }: Sweep): {
  readonly runs: number;
  readonly failure?: string;
} {
  let runs = 0;
  // Seeds come last, so that a fault of one network or condition is found early.
  for (const seed of seeds) {
    for (const topology of topologies) {
      for (const conditions of conditionsFor(protocol)) {
        const options = {
          protocol,
          topology,
          conditions,
          workload: workload(),
          seed,
          until: { steps: 100_000 },
        };
        const where = `${topology.spec}, ${JSON.stringify(conditions)}, seed ${seed}`;
        const result = simulate(options);
        const wrong = fault(result);
        if (wrong)
          return {
            runs,
            failure: `${wrong} on ${where}\n${result.trace ? traceText(result.trace) : ''}`,
          };
        runs++;
      }
    }
  }
  return { runs };
}

/**
 * What fails in seeded runs over channels that lose one message in ten and reorder the others, if a
 * link layer sends them again: properties, and runs that do not end or lose nothing.
 */
export function failingOverReliable(
  protocol: Protocol,
  topology: Topology,
  seeds: number,
  workload: () => Workload = () => closedLoop({ entries: 3 }),
  duplication = 0.1,
): readonly string[] {
  return Array.from({ length: seeds }, (_, seed) => {
    const run = simulate({
      protocol,
      topology,
      conditions: {
        order: 'any',
        loss: 0.1,
        duplication,
        delay: { kind: 'uniform', least: 1, most: 20 },
      },
      workload: workload(),
      reliable: true,
      seed: seed + 1,
    });
    const ends = run.complete && run.lost > 0 ? [] : [`seed ${seed + 1}`];
    return [...ends, ...failing(run)];
  }).flat();
}
