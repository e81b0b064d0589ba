/** What is simulated: the protocol, its network, channels and workload. */
import { optionalCommands } from '@conclave/core/internal';
import { defaultSteps, expectedSteps, usualWorkload } from '@conclave/core/internal/simulation';
import type { Protocol } from '@conclave/core/protocol';
import type { Conditions, SimulationResult, simulate, Workload } from '@conclave/core/simulation';
import type { Topology } from '@conclave/core/topology';
import { badInput } from '../errors.js';
import { hasNoCommand, initiatorsText, isCompetition, noCommands } from '../input/environment.js';
import { defined, someOf } from '../input/options.js';
import { networkFor, protocolFor } from '../input/protocol.js';
import { abridged, counted, number } from '../output/text.js';
import { delayOf, type SimulateOptions } from './options.js';

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
  const { order = 'fifo', loss = 0, duplicate = 0 } = options;
  const bare = links.find((link) => link.delay === undefined);
  const { text, delay } = options.delay ?? delayOf(bare || links.length === 0 ? 'fixed:1' : 'geo');
  if (delay.kind === 'link' && bare)
    throw badInput(
      `--delay geo takes the delays of the links, and in '${abridged(spec)}' ${bare.from}→${bare.to} has none`,
      'Use a backbone (abilene, nsfnet, geant), an edge list with delays, or another --delay.',
    );
  return { conditions: { delay, order, loss, duplication: duplicate }, delayText: text };
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
  const { order, loss, duplication } = conditions;
  const channels = [
    ...[`delay ${delayText}`, `order ${order}`],
    ...(loss > 0 ? [`loss ${loss}`] : []),
    ...(duplication > 0 ? [`duplication ${duplication}`] : []),
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
