/**
 * The systems that a check without sizes has explored, in words: rows, JSON, what was exhausted, what
 * was not tried.
 */

import type { Exploration } from '@conclave/check';
import type { Topology } from '@conclave/core/topology';
import { counted, duration, number } from '../output/text.js';
import type { NetworkCheck, ProtocolCheck } from './options.js';
import { assumptionsText, exploredText, runsEndAt, sizeOf } from './outcome.js';
import {
  type Levels,
  largestOf,
  notTried,
  perRaisedFault,
  raisedFaults,
  type Size,
  type Tried,
} from './schedule.js';
import { raisedOptions } from './sizes.js';

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
      : `Exhausted: ${exploredText(` of ${which}`, runsEndAt(findings), findings)}`;
  if (ending === 'sizes') return `${exhausted} Nothing is left that adds states.`;
  const missing = coverage.some(({ missed }) => missed.length > 0)
    ? ' Transitions that were never taken are not checked either.'
    : '';
  const unproved = isCut ? ' What was cut proves nothing.' : '';
  return `${exhausted}${unproved}${missing} How many systems fit into the time depends on the machine: continue with --max-seconds 60, or choose one with --topology.`;
}

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
