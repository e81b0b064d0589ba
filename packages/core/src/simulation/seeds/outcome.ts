import { type SimulationResult, totalMessages } from '../result.js';

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
