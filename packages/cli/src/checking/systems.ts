/** The systems that a check without sizes has explored, in words. */
import type { Exploration, RoleCoverage } from '@conclave/core/exploration';
import { counted, duration } from '../output/text.js';
import type { NetworkCheck } from './check.js';
import { assumptionsText, faultOf, openAfter, sizeOf } from './outcome.js';
import { type Levels, largestOf, type Tried } from './schedule.js';
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
  coverage: readonly RoleCoverage[],
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
