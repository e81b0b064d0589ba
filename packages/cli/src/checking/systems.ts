/** The systems that a check without sizes has explored, in words. */

import { type Exploration, explore, type PropertyFinding } from '@conclave/check';
import { standardProperties } from '@conclave/check/internal';
import { faults, kindOfProperty, optionalCommands } from '@conclave/core/internal';
import { ConclaveError, type Property, type Protocol } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import { budgetFor } from '../input/environment.js';
import { counted, duration, number } from '../output/text.js';
import type { CheckOptions, NetworkCheck, ProtocolCheck } from './options.js';
import { assumptionsText, faultOf, openAfter, sizeOf } from './outcome.js';
import {
  dimensions,
  type Levels,
  largestOf,
  most,
  notTried,
  perRaisedFault,
  raisedFaults,
  type Size,
  type Tried,
} from './schedule.js';

/** One system, and what was found in it. */
export interface ExploredSystem extends Tried {
  /** Such as `complete:3 with one command each`. */
  readonly text: string;
  readonly check: NetworkCheck;
  readonly exploration: Exploration;
}

export const wasExhausted = ({ cutAfter }: Tried): boolean => cutAfter === undefined;

/** Why no further system is explored. */
export type Ending = 'violated' | 'time' | 'sizes' | 'interrupted';

export const endings: Readonly<Record<Ending, string>> = {
  violated: 'a property is violated',
  time: 'the time is over',
  sizes: 'nothing is left that adds states',
  interrupted: 'it was interrupted',
};

/** The options that repeat the exploration of one system. */
export const sizeArguments = (levels: Levels, { check, size }: ExploredSystem): string[] =>
  Object.entries({ topology: check.topology.spec, ...raisedOptions(levels, size) }).flatMap(
    ([option, value]) => [`--${option}`, String(value)],
  );

/** What `--json` prints of a system. */
export function systemReport({ check, size, exploration }: ExploredSystem) {
  const { states, transitions, depth, steps, seconds, complete, limit, assumptions, properties } =
    exploration;
  const { nodes: _, ...raised } = size;
  return {
    ...{ topology: check.topology.spec, ...raised },
    ...{ states, transitions, depth, steps, seconds, complete, limit, assumptions },
    properties: properties.map(({ name, verdict }) => ({ name, verdict })),
  };
}

/**
 * How many systems are listed one by one; of more, those that were cut and the largest of the
 * others.
 */
const mostListed = 16;

/** `ring:2 with one command each: 35 states, 72 transitions, depth 9` */
export function systemRows(systems: readonly ExploredSystem[]): string[][] {
  const largest = new Set(largestOf(systems.filter(wasExhausted)));
  const listed = systems.filter(
    (system) => systems.length <= mostListed || largest.has(system) || !wasExhausted(system),
  );
  const rows = listed.map((system) => {
    const cut = wasExhausted(system) ? '' : `, ${cutText(system)}`;
    return `${system.text}: ${sizeOf(system.exploration)}${cut}`;
  });
  const more = counted(systems.length - listed.length, 'system');
  if (listed.length < systems.length)
    rows.push(`and ${more} on these networks with fewer commands or faults; --json lists all`);
  return rows.map((text, index) => [index === 0 ? 'systems' : '', text]);
}

/** Why a system was not finished. */
export function cutText({ exploration, cutAfter = 0 }: ExploredSystem): string {
  const { limit } = exploration;
  if (limit === 'seconds') return `cut after ${duration(cutAfter)}`;
  if (limit === 'memory') return 'cut by --max-memory';
  return limit === 'interrupted' ? 'interrupted' : 'cut';
}

/** Each once; that of how much fails, which differs between the systems, for all together. */
export function assumptionsIn(systems: readonly ExploredSystem[]): string {
  const all = new Set(systems.flatMap(({ exploration }) => exploration.assumptions));
  const others = [...all].filter(
    (assumption) => !assumption.startsWith('that no more fails than this'),
  );
  const common = others.length < all.size ? ['that no more fails than in these systems'] : [];
  return assumptionsText([...common, ...others]);
}

/** What was exhausted, what was not, and why. */
export function exhaustedText(
  systems: readonly ExploredSystem[],
  ending: Ending,
  findings: Exploration['properties'],
  coverage: NonNullable<Exploration['coverage']>,
): string {
  const done = systems.filter(wasExhausted);
  const isCut = done.length < systems.length;
  const which =
    done.length === 1
      ? done[0]?.text
      : `the ${counted(done.length, 'system')}${isCut ? ' that were not cut' : ' above'}`;
  const exhausted = `Exhausted: every reachable state of ${which} was explored.`;
  if (ending === 'violated')
    return done.length === 0
      ? 'Stopped at a violation.'
      : `${exhausted}${openAfter(faultOf(findings), findings)}`;
  if (ending === 'sizes') return `${exhausted} Nothing is left that adds states.`;
  const missing = coverage.some(({ missed }) => missed.length > 0)
    ? ' Transitions that were never taken are not checked either.'
    : '';
  const unproved = isCut ? ' What was cut proves nothing.' : '';
  return `${exhausted}${unproved}${missing} How many systems fit into the time depends on the machine: continue with --max-seconds 60, or choose one with --topology.`;
}

// The systems from which a check without sizes chooses, and how they are named.

/**
 * Networks from two nodes, in the shape that the protocol needs; commands, if it has optional ones;
 * each fault that it declares to tolerate, as often as it does. What an option fixes is not raised.
 *
 * @throws {ConclaveError} `bad-topology`, `bad-input` for a protocol whose need refuses its own
 * example.
 */
export function levelsOf({
  protocol,
  options,
}: Pick<ProtocolCheck, 'protocol' | 'options'>): Levels {
  const from = (least: number) =>
    Array.from({ length: most - least + 1 }, (_, index) => least + index);
  const levels = perRaisedFault(({ option, count }): readonly number[] => {
    const { [option]: given } = options;
    const upTo = faults.tolerated(protocol, count);
    return given === undefined ? from(0).filter((level) => level <= upTo) : [given];
  });
  const mayRestart = options.restart !== undefined || Math.max(...levels.crash) > 0;
  return {
    nodes: nodeCounts(protocol),
    entries: optionalCommands(protocol).length === 0 ? [1] : from(1),
    ...levels,
    restart: mayRestart ? levels.restart : [0],
  };
}

/** For how many nodes the shape has a network of its own. */
function nodeCounts(protocol: Protocol): readonly number[] {
  const known = new Map<string, number>();
  for (let nodes = 2; nodes <= most; nodes++) {
    const topology = fitting(protocol, nodes);
    if (topology && !known.has(topology.spec)) known.set(topology.spec, nodes);
  }
  if (known.size === 0) explore(protocol, protocol.topology.example(3)); // refuses it, and says why
  return [...known.values()];
}

/** The protocol's own example of so many nodes; undefined where it has none. */
function fitting({ topology: need }: Protocol, nodes: number): Topology | undefined {
  try {
    const topology = need.example(nodes);
    return need.refuses(topology) === undefined ? topology : undefined;
  } catch (error) {
    if (error instanceof ConclaveError) return undefined;
    throw error;
  }
}

/** What it raised above the least, by option: what is left out is as the user gave it. */
export function raisedOptions(levels: Levels, size: Size): CheckOptions {
  const raised = dimensions.filter(
    (dimension) => dimension !== 'nodes' && size[dimension] !== levels[dimension][0],
  );
  return Object.fromEntries(raised.map((dimension) => [dimension, size[dimension]]));
}

/**
 * Whether nodes may fail here because the protocol declares to tolerate it, not because the user
 * wants it.
 */
const mayFail = (levels: Levels, { crash, restart }: Size): boolean =>
  crash !== levels.crash[0] || restart !== levels.restart[0];

/** The check of one of the systems; where its nodes fail, of what `tolerates` promises. */
export function checkOfSize(check: ProtocolCheck, levels: Levels, size: Size): NetworkCheck {
  const { protocol } = check;
  const options = { ...check.options, ...raisedOptions(levels, size) };
  const properties = mayFail(levels, size)
    ? check.properties.filter((property) => isPromised(property, size))
    : check.properties;
  const topology = protocol.topology.example(size.nodes);
  return { ...check, options, topology, budget: budgetFor(protocol, options), properties };
}

const [, noDeadlock] = standardProperties;

/** What was found, without what `tolerates` does not promise there. */
export const promisedIn = (
  levels: Levels,
  size: Size,
  findings: readonly PropertyFinding[],
): readonly PropertyFinding[] =>
  mayFail(levels, size) ? findings.filter(({ name }) => name !== noDeadlock) : findings;

/**
 * Whether a property is to hold where nodes fail so: `tolerates` promises the safety properties.
 */
const isPromised = (property: Property, { restart }: Pick<Size, 'restart'>): boolean =>
  kindOfProperty(property).decidedBy !== 'run' &&
  !('most' in property) && // no bound
  (property.unless === undefined || restart === 0);

const words = perRaisedFault(({ name }): readonly [one: string, many: string] => name);

/** `complete:3 with up to 2 commands each, 1 loss` */
export function sizeText(levels: Levels, { spec }: Topology, size: Size): string {
  const { entries } = size;
  const commands =
    levels.entries.length === 1
      ? ''
      : ` with ${entries === 1 ? 'one command' : `up to ${number(entries)} commands`} each`;
  const faults = raisedFaults.flatMap(({ option, name: [one, many] }) =>
    size[option] > 0 ? [counted(size[option], one, many)] : [],
  );
  return [`${spec}${commands}`, ...faults].join(', ');
}

/** What was not tried, in words: the next level of each dimension, and what no such check tries. */
export function notTriedTexts(
  { protocol, options }: ProtocolCheck,
  levels: Levels,
  tried: readonly Pick<Tried, 'size'>[],
): readonly string[] {
  const next = notTried(levels, tried).map(([dimension, level]) => {
    if (dimension === 'nodes') return counted(level, 'node');
    if (dimension === 'entries') return counted(level, 'command');
    return level === 1 ? words[dimension][0] : counted(level, ...words[dimension]);
  });
  const failing = levels.crash.length > 1 || levels.restart.length > 1;
  return [
    ...next,
    ...(protocol.channels.loss && options.partition === undefined ? ['partition'] : []),
    ...(failing ? ['liveness and cost with crashes'] : []),
  ];
}
