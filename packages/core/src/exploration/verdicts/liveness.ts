import type { Fairness } from '../options.js';
import type { Graph } from '../search/graph.js';
import { ClosedWalk } from './closed-walk.js';
import { type Component, Components } from './components.js';
import { type DivergingTime, diverges } from './diverging-time.js';
import { Reach } from './reach.js';

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

interface LivenessQuery {
  readonly graph: Graph;
  /** The class of a fair action, −1 for an unfair one. */
  readonly fairClass: (action: number) => number;
  readonly fairness: Fairness;
  /** The worlds that a violating run may visit. */
  readonly inside: (world: number) => boolean;
  /** Where a violating run may begin; all reachable, in the order of their numbers. */
  readonly from: Iterable<number>;
  /** How many initial worlds there are; they have the first numbers. Default 1. */
  readonly starts?: number;
  /** In exact time: only runs in which time diverges count. */
  readonly time?: DivergingTime | undefined;
}

/**
 * Looks for a fair run that stays inside forever from some world of `from` on.
 *
 * The run may stop in a world without fair actions. Or it visits a strongly connected component of the inside forever. A component has a weakly
 * fair run exactly if each fair class is taken in it, or disabled in one of its worlds. For strong fairness the worlds that enable a class which
 * is never taken are removed, and the rest is decomposed again (Emerson & Lei 1987).
 */
export function findFairRun({ graph, fairClass, fairness, inside, from, starts = 1, time }: LivenessQuery): FairRun | undefined {
  const classOf = (edge: number) => fairClass(graph.action(edge));
  const isTick = (edge: number) => time?.isTick(graph.action(edge)) ?? false;
  const reach = new Reach(graph, inside, from, starts);
  for (const world of reach.worlds) if (mayRest(world)) return { ...reach.pathTo(world), entry: world, edges: [] };
  const components = new Components(graph);
  return search(reach.worlds);

  /** Whether a run may stop here: no fair action is possible, and no clock runs. */
  function mayRest(world: number): boolean {
    for (let edge = graph.first(world); edge < graph.end(world); edge++) if (classOf(edge) >= 0) return false;
    return !time?.runs(world);
  }

  function search(worlds: Int32Array): FairRun | undefined {
    for (const component of components.cycles(worlds)) {
      if (time && !diverges(time, graph, component)) continue;
      const taken = fairness === 'none' ? new Set<number>() : classesTaken(component);
      const starved =
        fairness === 'none' ? taken : fairness === 'weak' ? possibleEverywhere(component, taken) : possibleSomewhere(component, taken);
      if (starved.size === 0) return runAround(component, taken);
      if (fairness === 'weak') continue;
      const found = search(component.members.filter((world) => !enables(world, starved)));
      if (found) return found;
    }
    return undefined;
  }

  function enables(world: number, classes: ReadonlySet<number>): boolean {
    for (let edge = graph.first(world); edge < graph.end(world); edge++) if (classes.has(classOf(edge))) return true;
    return false;
  }

  function classesTaken({ members, has }: Component): Set<number> {
    const taken = new Set<number>();
    for (const world of members)
      for (let edge = graph.first(world); edge < graph.end(world); edge++) if (has(graph.target(edge))) taken.add(classOf(edge));
    taken.delete(-1);
    return taken;
  }

  /** The classes, other than `taken`, that are enabled in every member: no run in the component is weakly fair. */
  function possibleEverywhere({ members }: Component, taken: ReadonlySet<number>): Set<number> {
    const [first = -1] = members;
    const classes = possibleSomewhere({ members: Int32Array.of(first) }, taken);
    for (const one of classes) if (!members.every((world) => enables(world, new Set([one])))) classes.delete(one);
    return classes;
  }

  /** The classes, other than `taken`, that are enabled in some member: no run through it is strongly fair. */
  function possibleSomewhere({ members }: Pick<Component, 'members'>, taken: ReadonlySet<number>): Set<number> {
    const classes = new Set<number>();
    for (const world of members)
      for (let edge = graph.first(world); edge < graph.end(world); edge++) if (!taken.has(classOf(edge))) classes.add(classOf(edge));
    classes.delete(-1);
    return classes;
  }

  /** A loop in a fair component: it takes each class, and visits a world where each other class is disabled. */
  function runAround(component: Component, taken: ReadonlySet<number>): FairRun {
    const entry = reach.worlds.find(component.has) ?? -1;
    const walk = new ClosedWalk(graph, component, entry);
    for (const one of taken) walk.over((edge) => classOf(edge) === one);
    if (fairness === 'weak')
      for (const one of possibleSomewhere(component, taken)) walk.through((world) => !enables(world, new Set([one])));
    if (time && component.members.every((world) => time.runs(world))) walk.over(isTick);
    else if (time) walk.through((world) => !time.runs(world));
    walk.close();
    return { ...reach.pathTo(entry), entry, edges: walk.edges };
  }
}
