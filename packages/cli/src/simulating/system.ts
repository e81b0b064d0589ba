/** The options of `conclave simulate`, and what they say: protocol, network, channels and workload. */
import { choices, faults, optionalCommands } from '@conclave/core/internal';
import {
  defaultSteps,
  expectedSteps,
  parseCrash,
  parseDelay,
  usualWorkload,
} from '@conclave/core/internal/simulation';
import type { Protocol } from '@conclave/core/protocol';
import type {
  Conditions,
  Fault,
  SimulationResult,
  simulate,
  Workload,
} from '@conclave/core/simulation';
import type { Topology } from '@conclave/core/topology';
import { badInput } from '../errors.js';
import { hasNoCommand, initiatorsText, isCompetition, noCommands } from '../input/environment.js';
import {
  choice,
  count,
  defined,
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
  someOf,
  text,
  type ValuesOf,
} from '../input/options.js';
import { networkFor, protocolFor, protocolOptions } from '../input/protocol.js';
import { abridged, counted, number } from '../output/text.js';
import { sweepOptions } from '../shards/part.js';

/** A delay, as the user writes it and as a channel takes it. */
interface GivenDelay {
  readonly text: string;
  readonly delay: Conditions['delay'];
}

const delayOf = (text: string): GivenDelay => ({ text, delay: parseDelay(text) });

/** The options of `conclave simulate`; one that is not given is absent. */
export const simulateOptions = {
  topology: text('spec', 'the network, such as ring:8, abilene or file:PATH'),
  delay: parsed(
    'delay',
    'how long a message travels, such as fixed:5, uniform:10:50 or geo',
    delayOf,
  ),
  order: choice('order', choices.order, 'whether each channel keeps the order'),
  ...faults.perChannelFault('option', ({ fate }) =>
    parsed('p', `probability that a message is ${fate}`, probability),
  ),
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

// The system that is simulated.

type SimulationOptions = Parameters<typeof simulate>[0];

/**
 * What a run needs, but for its seed and its limits; and in words, what a person should know about
 * it.
 */
export interface Simulated {
  readonly options: Pick<
    SimulationOptions,
    'protocol' | 'topology' | 'workload' | 'faults' | 'confirm' | 'drift'
  > & {
    readonly conditions: Conditions;
  };
  /** That the network is an overlay. */
  readonly note: string | undefined;
  readonly delayText: string;
  readonly workloadText: string;
}

/**
 * What `conclave simulate <name>` with these options simulates. Plain data determines it, so that
 * each thread can make its own.
 *
 * @throws {ConclaveError} `bad-input`, `bad-topology`.
 */
export async function simulated(name: string, options: SimulateOptions): Promise<Simulated> {
  const protocol = await protocolFor(name, options);
  const { topology, note } = networkFor(protocol, options.topology, 5);
  const { conditions, delayText } = conditionsFor(topology, options);
  const { workload, text } = workloadFor(protocol, options);
  return {
    options: {
      protocol,
      topology,
      conditions,
      workload,
      faults: options.crash ?? [],
      ...defined({ confirm: options.confirm, drift: options.drift }),
    },
    ...{ note, delayText, workloadText: text },
  };
}

/** Where a run ends that does not become quiescent. */
export const untilOf = (
  { protocol, topology }: Pick<Simulated['options'], 'protocol' | 'topology'>,
  { untilSteps, untilTime = Infinity, entries }: SimulateOptions,
) => ({ time: untilTime, steps: untilSteps ?? defaultSteps(protocol, topology, entries) });

/**
 * What the channels of this run do. Default: the links' own delays where the network has them,
 * otherwise 1 ms; in order; no loss, no duplication.
 *
 * @throws {ConclaveError} `bad-input`: `geo` on a network without delays.
 */
function conditionsFor(
  { links, spec }: Topology,
  options: SimulateOptions,
): { readonly conditions: Conditions; readonly delayText: string } {
  const { order = 'fifo' } = options;
  const rates = faults.perChannelFault('tolerance', ({ option }) => options[option] ?? 0);
  const bare = links.find((link) => link.delay === undefined);
  const { text, delay } = options.delay ?? delayOf(bare || links.length === 0 ? 'fixed:1' : 'geo');
  if (delay.kind === 'link' && bare)
    throw badInput(
      `--delay geo takes the delays of the links, and in '${abridged(spec)}' ${bare.from}→${bare.to} has none`,
      'Use a backbone (abilene, nsfnet, geant), an edge list with delays, or another --delay.',
    );
  return { conditions: { delay, order, ...rates }, delayText: text };
}

/**
 * What the application does in this run, also in words: competitors enter `entries` times each; in
 * any other protocol, each initiator gets the first optional command once.
 *
 * @throws {ConclaveError} `bad-input` for options without effect here.
 */
function workloadFor(
  protocol: Protocol,
  options: SimulateOptions,
): { readonly workload: Workload; readonly text: string } {
  const { entries, think, hold, untilTime: lasts = 1000 } = options;
  const nodes = someOf(options.initiators);
  const geo = [think, hold].find((given) => given?.delay.kind === 'link');
  const competes = isCompetition(protocol);
  if (competes && geo)
    throw badInput(
      `'${geo.text}' is the delay of links, and --think and --hold have none`,
      'Write fixed:5.',
    );
  const surplus = Object.entries({ entries, think, hold }).find(([, value]) => value !== undefined);
  if (!competes && surplus)
    throw badInput(
      `--${surplus[0]} is for a critical section, and ${protocol.title} has none`,
      'Leave it out.',
    );
  const [command] = optionalCommands(protocol);
  if (!competes && command === undefined && nodes) throw hasNoCommand(protocol, 'initiators');
  const workload = usualWorkload(protocol, {
    ...defined({ entries, nodes, think: think?.delay, hold: hold?.delay }),
    lasts,
  });
  const who = initiatorsText(nodes);
  if (competes) return { workload, text: `${counted(entries ?? 1, 'entry', 'entries')} by ${who}` };
  if (command !== undefined) return { workload, text: `'${command.type}' to ${who}` };
  return {
    workload,
    text: protocol.perpetual ? `${noCommands}, for ${number(lasts)} ms` : noCommands,
  };
}

/** The system in words. */
export function systemRows(
  { options, delayText, workloadText }: Simulated,
  seeds: string,
): string[][] {
  const { topology, conditions, drift = 0 } = options;
  const channels = [
    ...[`delay ${delayText}`, `order ${conditions.order}`],
    ...faults.channelFaultRows.flatMap(({ tolerance }) =>
      conditions[tolerance] > 0 ? [`${tolerance} ${conditions[tolerance]}`] : [],
    ),
  ];
  return [
    ['network', `${abridged(topology.spec)}, ${counted(topology.nodes.length, 'node')}`],
    ['channels', channels.join(', ')],
    ...(drift === 0 ? [] : [['clocks', `drift by up to ${drift}`]]),
    ['workload', `${workloadText}; ${seeds}`],
  ];
}

/** What took the steps of a run, or of many, and how many of them XState has confirmed. */
export function stepsRow({
  steps,
  host,
  hostReason,
  confirmed = 0,
}: Pick<SimulationResult, 'steps' | 'hostReason' | 'confirmed'> & {
  readonly host: SimulationResult['host'] | undefined;
}): string[] {
  if (host === 'actors')
    return [
      'steps',
      `${number(steps)} by XState${hostReason === undefined ? '' : `: ${hostReason}`}`,
    ];
  return [
    'steps',
    `${number(steps)} by compiled statecharts, ${confirmed === steps ? 'all' : number(confirmed)} confirmed by XState`,
  ];
}

// What a run needs that the limit of steps has ended.

/** As a sentence: how many steps the protocol takes by its formula, and what to try. */
export function limitText({ options: system }: Simulated, options: SimulateOptions): string {
  const { protocol, topology } = system;
  const needed = expectedSteps(protocol, topology, options.entries);
  const { steps } = untilOf(system, options);
  if (needed === undefined || needed <= steps || !protocol.cost)
    return `Give more than --until-steps ${steps}, or --until-time if it runs forever.`;
  const { formula, average } = protocol.cost;
  const enough = average ? 2 * needed : needed;
  return `By its formula, ${formula}, ${protocol.title} takes ${average ? 'about' : 'up to'} ${number(needed)} steps here: give --until-steps ${enough}.`;
}
