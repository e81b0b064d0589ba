/**
 * Which runs count as evidence against liveness: fair ones, in which time diverges, that stop or
 * loop where something never happens.
 */
import type { KernelWorlds } from '../../search/kernel/kernel-store.js';
import type { Graph } from '../../search/traversal/graph.js';
import type { SystemTime } from '../../search/traversal/search.js';
import {
  ClosedWalk,
  type Component,
  Components,
  FairClasses,
  worldsOnCycles,
} from '../graphs/components.js';
import { Reach } from '../graphs/paths.js';

/**
 * Which runs count. A run may stop only where no fair action is possible. `none`: every infinite
 * run counts. `weak`: a fair action that stays enabled is eventually taken. `strong`: so is one
 * that is enabled again and again. What holds under one holds under the next.
 */
export type Fairness = 'none' | 'weak' | 'strong';

/** A run that violates liveness: a path to a loop, or to a world where the run stops. */
export interface FairRun {
  /** One of the worlds where a violating run may begin. */
  readonly start: number;
  /** The edges from `start` to `entry`. */
  readonly approach: readonly number[];
  /** The world where the run enters its loop. */
  readonly entry: number;
  /** The edges of the loop, from `entry` back to `entry`; none if the run stops. */
  readonly edges: readonly number[];
}

interface Runs {
  readonly graph: Graph;
  /** The class of a fair action, −1 for an unfair one. */
  readonly fairClass: (action: number) => number;
  readonly fairness: Fairness;
  /** How many initial worlds there are; they have the first numbers. Default 1. */
  readonly starts?: number;
  /** In exact time: only runs in which time diverges count. */
  readonly time?: DivergingTime | undefined;
  /**
   * Where the next action is drawn: then only what has a positive probability counts, a run that
   * stays inside whatever is drawn. Absent: draws are choices like all others.
   */
  readonly draws?: ((world: number) => boolean) | undefined;
}

/** The worlds that a violating run may visit. */
type Inside = (world: number) => boolean;

/** A component in which a fair run can stay. */
interface FairLoop {
  readonly component: Component;
  /** The fair classes that a run around it takes. */
  readonly taken: readonly number[];
}

/**
 * The fair runs of a graph.
 *
 * A run may stop in a world without fair actions. Or it visits a strongly connected component
 * forever. A component has a weakly fair run exactly if each fair class is taken in it, or disabled
 * in one of its worlds. For strong fairness the worlds that enable a class which is never taken are
 * removed, and the rest is decomposed again (Emerson & Lei 1987). So are, where draws count, the
 * worlds whose draw may lead out of it: what is left at last are end components (de Alfaro 1997).
 */
export class FairRuns {
  readonly #graph: Graph;
  readonly #fairness: Fairness;
  readonly #starts: number;
  readonly #time: DivergingTime | undefined;
  readonly #draws: Runs['draws'];
  readonly #classes: FairClasses;
  /** The worlds without fair actions. */
  readonly #rests: Int32Array;

  constructor({ graph, fairClass, fairness, starts = 1, time, draws }: Runs) {
    this.#graph = graph;
    this.#fairness = fairness;
    this.#starts = starts;
    this.#time = time;
    this.#draws = draws;
    this.#classes = new FairClasses(graph, fairClass);
    this.#rests = this.#classes.worldsWithout();
  }

  /**
   * Whether a fair run may stay inside forever, from anywhere inside: it stops there, or goes
   * around. Every violation needs such a run.
   */
  canStay(inside: Inside): boolean {
    return (
      this.#rests.some((world) => inside(world) && this.#mayRest(world)) || this.canLoop(inside)
    );
  }

  /** The worlds where a run may stop. */
  *rests(): Generator<number> {
    for (const world of this.#rests) if (this.#mayRest(world)) yield world;
  }

  /** Whether a fair run may go around inside forever. */
  canLoop(inside: Inside): boolean {
    const worlds = worldsOnCycles(this.#graph).filter(inside);
    return worlds.length > 0 && this.#fairLoop(worlds) !== undefined;
  }

  /**
   * A fair run that stays inside forever from some world of `from` on; all of them are reachable,
   * in the order of their numbers.
   */
  find(inside: Inside, from: Iterable<number>): FairRun | undefined {
    const reach = new Reach(this.#graph, inside, from, this.#starts);
    const stop = reach.worlds.find(
      (world) => !this.#classes.areEnabled(world) && this.#mayRest(world),
    );
    if (stop !== undefined) return { ...reach.pathTo(stop), entry: stop, edges: [] };
    const loop = this.#fairLoop(reach.worlds);
    return loop && this.#around(reach, loop);
  }

  /** Whether a run may stop in a world without fair actions: no clock runs. */
  #mayRest(world: number): boolean {
    return !this.#time?.runs(world);
  }

  #fairLoop(worlds: Int32Array): FairLoop | undefined {
    for (const component of Components.of(this.#graph).cycles(worlds)) {
      const closed = component.members.filter((world) => !this.#mayLeave(world, component));
      if (closed.length < component.members.length) {
        const found = this.#fairLoop(closed);
        if (found) return found;
        continue;
      }
      if (this.#time && !diverges(this.#time, this.#graph, component)) continue;
      if (this.#fairness === 'none') return { component, taken: [] };
      const taken = this.#classes.takenIn(component);
      if (this.#fairness === 'weak') {
        if (!this.#classes.isSomeAlwaysEnabled(component.members, taken))
          return { component, taken };
        continue;
      }
      const starved = this.#classes.enabledIn(component.members, taken);
      if (starved.length === 0) return { component, taken };
      const found = this.#fairLoop(
        component.members.filter((world) => !this.#classes.enables(world, starved)),
      );
      if (found) return found;
    }
    return undefined;
  }

  /** Whether what is drawn in a world may lead out of a component. */
  #mayLeave(world: number, { has }: Component): boolean {
    if (!this.#draws?.(world)) return false;
    const { ranges, targets } = this.#graph;
    const end = ranges[2 * world + 1] as number;
    for (let edge = ranges[2 * world] as number; edge < end; edge++)
      if (!has(targets[edge] as number)) return true;
    return false;
  }

  /**
   * A loop in a fair component: it takes each class, and visits a world where each other class is
   * disabled.
   */
  #around(reach: Reach, { component, taken }: FairLoop): FairRun {
    const [classes, time] = [this.#classes, this.#time];
    const entry = reach.worlds.find(component.has) ?? -1;
    const walk = new ClosedWalk(this.#graph, component, entry);
    for (const one of taken) walk.over((edge) => classes.of(edge) === one);
    if (this.#fairness === 'weak')
      for (const one of classes.enabledIn(component.members, taken))
        walk.through((world) => !classes.enables(world, [one]));
    if (time && component.members.every((world) => time.runs(world)))
      walk.over((edge) => time.isTick(this.#graph.action(edge)));
    else if (time) walk.through((world) => !time.runs(world));
    walk.close();
    return { ...reach.pathTo(entry), entry, edges: walk.edges };
  }
}

/**
 * In exact time: which actions let time pass, and the worlds in which a clock runs. In the others
 * time passes without an action.
 */
interface DivergingTime {
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
function diverges(
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
