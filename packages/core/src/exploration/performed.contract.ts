/** Runs of a system as the numbers of their actions. */
import { budgetIn } from '../options/exploration.js';
import type { Protocol } from '../protocol/protocol.js';
import type { Topology } from '../topology/topology.js';
import type { Trace, TraceLine } from '../trace/trace.js';
import type { ExploreOptions } from './options.js';
import { actionLines } from './worlds/action-lines.js';
import { timeOf } from './worlds/time.js';
import type { World } from './worlds/world.js';
import { Worlds } from './worlds/worlds.js';

/** The worlds of a run of numbers, and its lines; those of starts are not among them. */
export function performed(worlds: Worlds, steps: readonly number[]) {
  const visited: World[] = [worlds.initial];
  const lines: TraceLine[] = [];
  let ticks = 0;
  for (const number of steps) {
    const world = visited.at(-1) ?? worlds.initial;
    const action = worlds.actions(world)[number];
    if (!action) throw new Error(`no action ${number}`);
    const { clockwork } = worlds;
    for (const line of actionLines(worlds, world, action))
      lines.push(clockwork ? { time: ticks * clockwork.tick, ...line } : line);
    if (action.type === 'tick') ticks++;
    visited.push(worlds.next(world, action));
  }
  return { visited, lines };
}

/**
 * The system in which the numbers of a finding count: in exact time, with the tick of the search.
 */
export function worldsOf(
  protocol: Protocol,
  topology: Topology,
  options: ExploreOptions,
  tick?: number,
): Worlds {
  const time = timeOf(protocol, options);
  return new Worlds(protocol, topology, {
    ...budgetIn(options),
    time: time === 'untimed' || tick === undefined ? time : { ...time, tick },
  });
}

export const linesOf = ({ trace }: { readonly trace?: Trace }) =>
  trace?.lines.filter(({ event }) => event.kind !== 'start');
