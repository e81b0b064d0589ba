import type { Graph } from './graph.js';

/** `none`: any infinite run counts. `weak`: an action that stays possible is taken in the end. `strong`: also one that keeps becoming possible. */
export type Fairness = 'none' | 'weak' | 'strong';

/** A run that never gets there: from where it begins to where it loops or rests, and the loop. */
export interface FairRun {
  /** One of the worlds where a bad run may begin. */
  readonly start: number;
  /** The edges from `start` to `entry`, a shortest way. */
  readonly approach: readonly number[];
  /** Where the run enters its loop. */
  readonly entry: number;
  /** The edges of the loop, from `entry` back to `entry`; none where the run comes to rest. */
  readonly edges: readonly number[];
}

type Loop = Pick<FairRun, 'entry' | 'edges'>;

interface Question {
  readonly graph: Graph;
  /** The class of a fair action, −1 for an unfair one. */
  readonly fairClass: (action: number) => number;
  readonly fairness: Fairness;
  /** The worlds that a bad run may pass through. */
  readonly inside: (world: number) => boolean;
  /** Where a bad run may begin; all of them reachable. */
  readonly from: Iterable<number>;
}

/**
 * Looks for a fair run that, from some world of `from` on, stays inside for ever.
 *
 * Strongly connected components of the part inside (Tarjan 1972). A component holds a weakly fair run exactly if each fair class is taken
 * in it or impossible in one of its worlds. For strong fairness the worlds in which an untaken class is possible are cut out, and what is
 * left is looked at again (Emerson & Lei 1987). A run may also come to rest: where nothing can happen, or nothing that is fair.
 */
export function findFairRun({ graph, fairClass, fairness, inside, from }: Question): FairRun | undefined {
  const origins = reachable(graph, inside, from);
  const reached = new Set(origins.keys());
  for (const world of reached) if (mayRest(world)) return runTo({ entry: world, edges: [] });
  const loop = search(reached);
  return loop && runTo(loop);

  function runTo({ entry, edges }: Loop): FairRun {
    const approach: number[] = [];
    let start = entry;
    for (let origin = origins.get(start); origin && origin.edge >= 0; origin = origins.get(start)) {
      approach.push(origin.edge);
      start = origin.world;
    }
    return { start, approach: approach.reverse(), entry, edges };
  }

  /** Whether a run may end here: nothing can happen, or nothing that must. */
  function mayRest(world: number): boolean {
    return graph.first(world) === graph.end(world) || (fairness !== 'none' && classesOf(world).length === 0);
  }

  function search(worlds: ReadonlySet<number>): Loop | undefined {
    for (const component of components(graph, worlds)) {
      const members = new Set(component);
      const cycle = members.size > 1 || edgesWithin(graph, members).length > 0;
      if (!cycle) continue;
      const starved = fairness === 'none' ? [] : starvedClasses(members);
      if (starved.length === 0) return loopThrough(members);
      if (fairness === 'weak') continue;
      const smaller = new Set(component.filter((world) => !starved.some((one) => enables(world, one))));
      const found = smaller.size > 0 && smaller.size < members.size ? search(smaller) : undefined;
      if (found) return found;
    }
    return undefined;
  }

  /** The classes that no run around this component is fair to. */
  function starvedClasses(members: ReadonlySet<number>): number[] {
    const taken = new Set(edgesWithin(graph, members).map((edge) => fairClass(graph.action(edge))));
    const [first = -1] = members;
    const possible = (world: number) => classesOf(world).filter((one) => !taken.has(one));
    // Weak: possible everywhere, so in the first world, too. Strong: possible somewhere.
    if (fairness === 'weak') return possible(first).filter((one) => [...members].every((world) => enables(world, one)));
    return [...new Set([...members].flatMap(possible))];
  }

  function classesOf(world: number): number[] {
    const classes: number[] = [];
    for (let edge = graph.first(world); edge < graph.end(world); edge++) {
      const one = fairClass(graph.action(edge));
      if (one >= 0) classes.push(one);
    }
    return classes;
  }

  function enables(world: number, one: number): boolean {
    for (let edge = graph.first(world); edge < graph.end(world); edge++) if (fairClass(graph.action(edge)) === one) return true;
    return false;
  }

  /** A closed walk through every world and every fair class of a component: fair, if the component is. */
  function loopThrough(members: ReadonlySet<number>): Loop {
    const [entry = -1] = members;
    const edges: number[] = [];
    let at = entry;
    const walkTo = (wanted: (edge: number) => boolean) => {
      for (const edge of walk(graph, members, at, wanted)) {
        edges.push(edge);
        at = graph.target(edge);
      }
    };
    if (fairness !== 'none') {
      const classes = new Set(edgesWithin(graph, members).map((edge) => fairClass(graph.action(edge))));
      classes.delete(-1);
      for (const one of classes)
        if (!edges.some((edge) => fairClass(graph.action(edge)) === one)) walkTo((edge) => fairClass(graph.action(edge)) === one);
      // A class that is never taken must be impossible somewhere on the loop.
      for (const one of new Set([...members].flatMap(classesOf)))
        if (!classes.has(one) && ![entry, ...edges.map((edge) => graph.target(edge))].some((world) => !enables(world, one)))
          walkTo((edge) => !enables(graph.target(edge), one));
    }
    if (edges.length === 0 || at !== entry) walkTo((edge) => graph.target(edge) === entry);
    return { entry, edges };
  }
}

/** How a world was reached: from which one, over which edge; −1 where a run may begin. */
interface Origin {
  readonly world: number;
  readonly edge: number;
}

/** The worlds inside that can be reached from `from` without leaving, nearest first. */
function reachable(graph: Graph, inside: (world: number) => boolean, from: Iterable<number>): Map<number, Origin> {
  const origins = new Map<number, Origin>();
  const meet = (world: number, origin: Origin) => {
    if (!origins.has(world) && inside(world)) origins.set(world, origin);
  };
  for (const world of from) meet(world, { world, edge: -1 });
  // A map hands out what is added while it is gone through: a queue.
  for (const world of origins.keys())
    for (let edge = graph.first(world); edge < graph.end(world); edge++) meet(graph.target(edge), { world, edge });
  return origins;
}

function edgesWithin(graph: Graph, members: ReadonlySet<number>): number[] {
  const edges: number[] = [];
  for (const world of members)
    for (let edge = graph.first(world); edge < graph.end(world); edge++) if (members.has(graph.target(edge))) edges.push(edge);
  return edges;
}

/** The shortest walk within `members` from `from` whose last edge is `wanted`. */
function walk(graph: Graph, members: ReadonlySet<number>, from: number, wanted: (edge: number) => boolean): number[] {
  /** By world: the edge that led there, and where it began. */
  const by = new Map<number, readonly [source: number, edge: number]>();
  const open = [from];
  for (const world of open) {
    for (let edge = graph.first(world); edge < graph.end(world); edge++) {
      const target = graph.target(edge);
      if (!members.has(target)) continue;
      if (wanted(edge)) {
        const edges = [edge];
        for (let step = by.get(world); step; step = by.get(step[0])) edges.push(step[1]);
        return edges.reverse();
      }
      if (target === from || by.has(target)) continue;
      by.set(target, [world, edge]);
      open.push(target);
    }
  }
  return [];
}

/** The strongly connected components of the subgraph of `worlds`, without recursion. */
function* components(graph: Graph, worlds: ReadonlySet<number>): Generator<number[]> {
  const index = new Map<number, number>();
  const low = new Map<number, number>();
  const onStack = new Set<number>();
  const stack: number[] = [];
  for (const root of worlds) {
    if (index.has(root)) continue;
    const calls: { readonly world: number; edge: number }[] = [];
    const enter = (world: number) => {
      index.set(world, index.size);
      low.set(world, index.get(world) as number);
      stack.push(world);
      onStack.add(world);
      calls.push({ world, edge: graph.first(world) });
    };
    enter(root);
    for (let call = calls.at(-1); call; call = calls.at(-1)) {
      const { world } = call;
      if (call.edge < graph.end(world)) {
        const target = graph.target(call.edge++);
        if (!worlds.has(target)) continue;
        if (!index.has(target)) enter(target);
        else if (onStack.has(target)) low.set(world, Math.min(low.get(world) as number, index.get(target) as number));
        continue;
      }
      calls.pop();
      const caller = calls.at(-1);
      if (caller) low.set(caller.world, Math.min(low.get(caller.world) as number, low.get(world) as number));
      if (low.get(world) !== index.get(world)) continue;
      const component: number[] = [];
      for (let member = stack.pop(); member !== undefined; member = stack.pop()) {
        onStack.delete(member);
        component.push(member);
        if (member === world) break;
      }
      yield component;
    }
  }
}
