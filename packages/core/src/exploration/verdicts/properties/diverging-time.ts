import type { KernelWorlds } from '../../search/kernel/kernel-worlds.js';
import type { Graph } from '../../search/traversal/graph.js';
import type { SystemTime } from '../../search/traversal/system.js';
import { type Component, Components, worldsOnCycles } from '../graphs/components.js';

/**
 * In exact time: which actions let time pass, and the worlds in which a clock runs. In the others
 * time passes without an action.
 */
export interface DivergingTime {
  readonly isTick: (action: number) => boolean;
  readonly runs: (world: number) => boolean;
}

/** `vector` is overwritten by each call of `runs`. */
export const divergingTime = (
  time: SystemTime,
  store: KernelWorlds,
  vector: Int32Array,
): DivergingTime => ({
  isTick: (action) => action === time.tick,
  runs: (world) => {
    store.read(world, vector);
    return time.runs(vector);
  },
});

/**
 * Whether a run that stays in a component can last forever: a tick is taken in it, or no clock runs
 * in one of its worlds.
 */
export function diverges(
  { isTick, runs }: DivergingTime,
  graph: Graph,
  { members, has }: Component,
): boolean {
  const { ranges, targets, actions, watch } = graph;
  for (let index = 0; index < members.length; index++) {
    watch?.tick();
    const world = members[index] as number;
    const end = ranges[2 * world + 1] as number;
    for (let edge = ranges[2 * world] as number; edge < end; edge++)
      if (isTick(actions[edge] as number) && has(targets[edge] as number)) return true;
    if (!runs(world)) return true;
  }
  return false;
}

/**
 * Properties of runs look only at runs in which time diverges, so from every world there must be
 * one.
 *
 * @throws {ConclaveError} `bad-protocol` for worlds that no run leaves and in which infinitely many
 * steps take no time.
 */
export function requireTimeToDiverge(
  system: SystemTime,
  graph: Graph,
  store: KernelWorlds,
  width: number,
): void {
  const vector = new Int32Array(width);
  const time = divergingTime(system, store, vector);
  const { worlds } = graph;
  if (stuckIn(worldsOnCycles(graph))) {
    // always the same one
    const stuck = stuckIn(Int32Array.from({ length: worlds }, (_, world) => world));
    store.read(stuck?.members[0] as number, vector);
    throw system.stopped(vector);
  }
  for (let world = 0; world < worlds; world++) {
    if (!isLeftByCrashOnly(system, graph, world) || !time.runs(world)) continue;
    store.read(world, vector);
    throw system.stopped(vector);
  }

  /** A component that no run leaves and in which time does not diverge. */
  function stuckIn(some: Int32Array): Component | undefined {
    for (const component of Components.of(graph).cycles(some))
      if (!canLeave(system, graph, component) && !diverges(time, graph, component))
        return component;
    return undefined;
  }
}

function isLeftByCrashOnly(
  system: SystemTime,
  { ranges, actions, watch }: Graph,
  world: number,
): boolean {
  watch?.tick();
  const [first, end] = [ranges[2 * world] as number, ranges[2 * world + 1] as number];
  for (let edge = first; edge < end; edge++)
    if (!system.isCrash(actions[edge] as number)) return false;
  return end > first;
}

function canLeave(
  system: SystemTime,
  { ranges, targets, actions, watch }: Graph,
  { members, has }: Component,
): boolean {
  for (let index = 0; index < members.length; index++) {
    watch?.tick();
    const world = members[index] as number;
    const end = ranges[2 * world + 1] as number;
    for (let edge = ranges[2 * world] as number; edge < end; edge++)
      if (!has(targets[edge] as number) && !system.isCrash(actions[edge] as number)) return true;
  }
  return false;
}
