import type { SystemTime } from '../compiled/system.js';
import type { Graph } from '../search/graph.js';
import type { Visited } from '../search/visited.js';
import { type Component, Components } from './components.js';

/** In exact time: which actions let time pass, and the worlds in which a clock runs. In the others time passes without an action. */
export interface DivergingTime {
  readonly isTick: (action: number) => boolean;
  readonly runs: (world: number) => boolean;
}

/** `vector` is overwritten by each call of `runs`. */
export const divergingTime = (time: SystemTime, store: Visited, vector: Int32Array): DivergingTime => ({
  isTick: (action) => action === time.tick,
  runs: (world) => {
    store.read(world, vector);
    return time.runs(vector);
  },
});

/** Whether a run that stays in a component can last forever: a tick is taken in it, or no clock runs in one of its worlds. */
export function diverges({ isTick, runs }: DivergingTime, graph: Graph, { members, has }: Component): boolean {
  for (const world of members) {
    for (let edge = graph.first(world); edge < graph.end(world); edge++)
      if (isTick(graph.action(edge)) && has(graph.target(edge))) return true;
    if (!runs(world)) return true;
  }
  return false;
}

/**
 * Properties of runs look only at runs in which time diverges, so from every world there must be one.
 *
 * @throws {ConclaveError} `bad-protocol` for worlds that no run leaves and in which infinitely many steps take no time.
 */
export function requireTimeToDiverge(system: SystemTime, graph: Graph, store: Visited, width: number): void {
  const vector = new Int32Array(width);
  const time = divergingTime(system, store, vector);
  const all = Int32Array.from({ length: graph.worlds }, (_, world) => world);
  for (const component of new Components(graph).cycles(all)) {
    if (canLeave(system, graph, component) || diverges(time, graph, component)) continue;
    store.read(component.members[0] as number, vector);
    throw system.stopped(vector);
  }
  for (const world of all) {
    if (!isLeftByCrashOnly(system, graph, world) || !time.runs(world)) continue;
    store.read(world, vector);
    throw system.stopped(vector);
  }
}

function isLeftByCrashOnly(system: SystemTime, graph: Graph, world: number): boolean {
  for (let edge = graph.first(world); edge < graph.end(world); edge++) if (!system.isCrash(graph.action(edge))) return false;
  return graph.end(world) > graph.first(world);
}

function canLeave(system: SystemTime, graph: Graph, { members, has }: Component): boolean {
  for (const world of members)
    for (let edge = graph.first(world); edge < graph.end(world); edge++)
      if (!has(graph.target(edge)) && !system.isCrash(graph.action(edge))) return true;
  return false;
}
