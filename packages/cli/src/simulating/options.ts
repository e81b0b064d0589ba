import { choices } from '@conclave/core/internal';
import { parseCrash, parseDelay } from '@conclave/core/internal/simulation';
import type { Conditions, Fault } from '@conclave/core/simulation';
import { badInput } from '../errors.js';
import {
  choice,
  count,
  drift,
  flag,
  flagOf,
  initiators,
  jsonOption,
  measure,
  parsed,
  positive,
  probability,
  requireCores,
  seed,
  seedRange,
  text,
  type ValuesOf,
} from '../input/options.js';
import { protocolOptions } from '../input/protocol.js';
import { sweepOptions } from '../shards/shard.js';

/** A delay, as the user writes it and as a channel takes it. */
interface GivenDelay {
  readonly text: string;
  readonly delay: Conditions['delay'];
}

export const delayOf = (text: string): GivenDelay => ({ text, delay: parseDelay(text) });

/** The options of `conclave simulate`; one that is not given is absent. */
export const simulateOptions = {
  topology: text('spec', 'the network, such as ring:8, abilene or file:PATH'),
  delay: parsed(
    'delay',
    'how long a message travels, such as fixed:5, uniform:10:50 or geo',
    delayOf,
  ),
  order: choice('order', choices.order, 'whether each channel keeps the order'),
  loss: parsed('p', 'probability that a message is lost', probability),
  duplicate: parsed('p', 'probability that a message is duplicated', probability),
  drift: parsed(
    'ratio',
    'how much clocks drift, such as 0.01: each node has its own factor from 0.99 to 1.01 for its timers',
    drift,
  ),
  seed: parsed('n', 'same seed, same run (default: 1)', seed),
  seeds: parsed(
    'from..to',
    'one run for each of these seeds, such as 1..1000, and a summary of them all',
    seedRange,
  ),
  workers: parsed(
    'n',
    'with --seeds: how many threads simulate (default: 1); the result is the same',
    positive,
  ),
  ...sweepOptions,
  failFast: flag('with --seeds: the first seed that violates a property is the last'),
  entries: parsed('k', 'how often each competitor enters the critical section (default: 1)', count),
  initiators: parsed(
    'nodes',
    'which nodes start or compete: all, or some such as a,b (default: all)',
    initiators,
  ),
  think: parsed('delay', 'pause before each request to enter (default: exponential:20)', delayOf),
  hold: parsed('delay', 'stay in the critical section (default: fixed:5)', delayOf),
  crash: parsed(
    'node@ms',
    'crash a node, as in c@100: between two steps, or in the middle of its next one, as the seed decides (c@100:between, c@100:inside: always); c@100+50 restarts it 50 ms later; repeatable',
    (text, previous: readonly Fault[] = []) => [...previous, parseCrash(text)],
  ),
  confirm: choice(
    'how',
    choices.confirm,
    'which steps of compiled statecharts XState repeats: a sample of 1 in 1,000, or all (default: sample)',
  ),
  untilSteps: parsed(
    'n',
    'stop after so many steps (default: 10 million, more for a large network)',
    count,
  ),
  untilTime: parsed('ms', 'stop at this virtual time', measure('milliseconds')),
  ...protocolOptions,
  trace: text('file', 'write the trace'),
  ...jsonOption,
};

export type SimulateOptions = ValuesOf<typeof simulateOptions>;

/** What the user asks of one run, or of many. */
type SeedsChoice = Pick<
  SimulateOptions,
  'seed' | 'seeds' | 'workers' | 'shard' | 'queue' | 'failFast' | 'trace'
>;

/** @throws {ConclaveError} `bad-input` for options that contradict each other. */
export function requireOneOrMany(options: SeedsChoice): void {
  const { seed, seeds, workers, shard, queue, failFast, trace } = options;
  if (seeds === undefined) {
    const surplus = Object.entries({ workers, shard, queue, failFast }).find(
      ([, value]) => value !== undefined,
    );
    if (surplus)
      throw badInput(
        `${flagOf(surplus[0])} is for several runs`,
        'Add --seeds 1..1000, or leave it out.',
      );
    return;
  }
  if (seed !== undefined)
    throw badInput('--seed is for one run, and --seeds for several', 'Leave one of them out.');
  if (trace !== undefined)
    throw badInput(
      '--trace writes one run, and --seeds makes several',
      `Take one of them, as in --seed ${seeds.from} --trace ${trace}.`,
    );
  if (queue !== undefined && workers !== undefined)
    throw badInput(
      '--workers is for this process, and --queue gives the work to others',
      'Leave one of them out.',
    );
  requireCores(workers);
}
