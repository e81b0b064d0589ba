import type { AtMost } from '../../protocol/property.js';
import type { CompiledWorlds } from '../compiled/compiled.js';
import type { Graph } from '../search/graph.js';
import type { Visited } from '../search/visited.js';
import { ClosedWalk } from './closed-walk.js';
import { type Component, Components } from './components.js';
import type { FairRun } from './liveness.js';
import { longestPath } from './longest-path.js';
import { Reach } from './reach.js';

/**
 * What a claim about cost counts, without a counter in any world: what a run has sent is what is on its way at the end, and what its actions
 * took off the way.
 */
export interface Tally {
  /** How many of the messages that count are on their way. */
  readonly inFlight: (vector: Int32Array) => number;
  /** How many of them an action takes off the way (a copy: −1), less what it pays for. What pays is in no cycle of worlds. */
  readonly change: (action: number) => number;
  /** Whether each message sent is on its way for a moment: not one that is sent across a cut. */
  readonly seesAll: boolean;
}

/** Where more is sent than was paid for. */
export interface BoundViolation {
  readonly world: number;
  /** The edges that lead on from `world` to where it is so. */
  readonly onward?: readonly number[];
  /** A run that sends for ever. */
  readonly run?: FairRun;
}

interface Explored {
  readonly store: Visited;
  readonly graph: Graph;
  readonly width: number;
}

/** What `property` counts in a system of worlds. */
export function tallyOf(compiled: CompiledWorlds, { most, per, of }: AtMost): Tally {
  const { messages, contents, layout, worlds, width } = compiled;
  const counts = (type: string) => !of || of.includes(type);
  const byContent = memo((content) => contents.list(content).filter((message) => counts(messages.item(message).type)).length);
  const change = memo((number) => {
    const action = compiled.actionOf(number);
    switch (action.type) {
      case 'deliver':
      case 'drop':
        return counts(action.message.type) ? 1 : 0;
      case 'duplicate':
        return counts(action.message.type) ? -1 : 0;
      case 'command':
        return action.command.type === per ? -most : 0;
      default:
        return 0;
    }
  });
  const onTheWay = (vector: Int32Array) => {
    let sum = 0;
    for (let slot = layout.nodes; slot < width - 1; slot++) if (vector[slot] !== 0) sum += byContent(vector[slot] as number);
    return sum;
  };
  return { inFlight: onTheWay, change, seesAll: worlds.initial.remaining.partitions === 0 };
}

/**
 * Looks for a run on which, at some moment, more was sent than paid for; a shortest one, unless one sends for ever.
 *
 * A component of the graph in which something is sent can be gone around any number of times. Where there is none, no way around changes the
 * sum, and each world has a dearest way: longer ways are followed only if they are dearer than any that was found before.
 */
export function findBoundViolation({ store, graph, width }: Explored, { inFlight, change }: Tally): BoundViolation | undefined {
  const vector = new Int32Array(width);
  const waiting = new Int32Array(store.bound);
  const worlds: number[] = [];
  for (let world = 0; world < store.bound; world++) {
    if (!store.has(world)) continue;
    graph.watch?.tick();
    worlds.push(world);
    store.read(world, vector);
    waiting[world] = inFlight(vector);
  }
  return unboundedSending() ?? mostExpensivePath();

  function sends(source: number, edge: number): boolean {
    return change(graph.action(edge)) + (waiting[graph.target(edge)] as number) > (waiting[source] as number);
  }

  function unboundedSending(): BoundViolation | undefined {
    const componentOf = new Map<number, Component>();
    for (const component of new Components(graph).cycles(Int32Array.from(worlds))) {
      if (!component.members.some((world) => sendingEdge(component, world) >= 0)) continue;
      for (const world of component.members) componentOf.set(world, component);
    }
    if (componentOf.size === 0) return undefined;
    const reach = new Reach(graph, () => true, [0]);
    const entry = reach.worlds.find((world) => componentOf.has(world)) ?? -1;
    const component = componentOf.get(entry);
    if (!component) return undefined; // unreachable: all worlds are reached from the first
    const sending = new Set([...component.members].map((world) => sendingEdge(component, world)));
    const walk = new ClosedWalk(graph, component, entry);
    walk.over((edge) => sending.has(edge));
    walk.close();
    return { world: 0, run: { ...reach.pathTo(entry), entry, edges: walk.edges } };
  }

  /** An edge from `world` that stays in its component and sends something; −1 if none does. */
  function sendingEdge({ has }: Component, world: number): number {
    for (let edge = graph.first(world); edge < graph.end(world); edge++) if (has(graph.target(edge)) && sends(world, edge)) return edge;
    return -1;
  }

  /** No way around changes the sum any more. */
  function mostExpensivePath(): BoundViolation | undefined {
    if ((waiting[0] as number) > 0) return { world: 0 };
    const behind = (sum: number, _source: number, edge: number) => sum + change(graph.action(edge));
    const onward = longestPath(graph, store.bound, {
      first: 0,
      behind,
      breaks: (sum, source, edge) => behind(sum, source, edge) + (waiting[graph.target(edge)] as number) > 0,
    });
    return onward && { world: 0, onward };
  }
}

/** Asks `of` once for each number. */
function memo(of: (number: number) => number): (number: number) => number {
  const known: number[] = [];
  return (number) => {
    const value = known[number] ?? of(number);
    known[number] = value;
    return value;
  };
}
