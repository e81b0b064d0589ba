import type { AtMost } from '../../../protocol/property.js';
import type { CompiledWorlds } from '../../search/tables/compiled-worlds.js';
import type { Action } from '../../worlds/world.js';
import { ClosedWalk } from '../graphs/closed-walk.js';
import { type Component, Components, worldsOnCycles } from '../graphs/components.js';
import { type Explored, longestPath } from '../graphs/longest-path.js';
import { Reach } from '../graphs/reach.js';
import type { FairRun } from './liveness.js';

/**
 * What an `atMost` counts, without a counter in the worlds: a run has sent what is in flight at its
 * end, and what its actions removed from channels.
 */
export interface Tally {
  /** How many of the counted messages are in flight. */
  readonly inFlight: (vector: Int32Array) => number;
  /**
   * How many of them an action removes from channels (a duplicate: −1), less what its command
   * allows. Such a command is in no cycle of worlds.
   */
  readonly change: (action: number) => number;
  /** Whether every message sent is in flight for a moment; one that is sent across a cut is not. */
  readonly seesAll: boolean;
}

/** A run that sends more than its commands allow. */
export interface BoundViolation {
  readonly world: number;
  /** The edges from `world` to the violation. */
  readonly onward?: readonly number[];
  /** A run that sends forever. */
  readonly run?: FairRun;
}

/** What `property` counts in a compiled system. */
export function tallyOf(compiled: CompiledWorlds, { most, per, of }: AtMost): Tally {
  const { parcels, contents, layout, worlds, width } = compiled;
  const { crashNotice } = worlds.protocol; // the network sends it, not the protocol
  const counts = (type: string) => (of ? of.includes(type) : type !== crashNotice);
  const byContent = memo(
    (content) =>
      contents.list(content).filter((parcel) => counts(parcels.message(parcel).type)).length,
  );
  const change = memo((number) => changeOf(compiled.actionOf(number)));
  const changeOf = (action: Action): number => {
    if (action.type === 'crash')
      return action.during && action.during.type !== 'start' ? changeOf(action.during) : 0;
    if (action.type === 'command') return action.command.type === per ? -most : 0;
    if (action.type === 'deliver' || action.type === 'drop')
      return counts(action.message.type) ? 1 : 0;
    return action.type === 'duplicate' && counts(action.message.type) ? -1 : 0;
  };
  const onTheWay = (vector: Int32Array) => {
    let sum = 0;
    for (let slot = layout.nodes; slot < width - 1; slot++)
      if (vector[slot] !== 0) sum += byContent(vector[slot] as number);
    return sum;
  };
  return { inFlight: onTheWay, change, seesAll: worlds.initial.remaining.partitions === 0 };
}

/**
 * Looks for a run that at some moment has sent more than its commands allow: a shortest one, unless
 * one sends forever.
 *
 * A strongly connected component in which a message is sent can be repeated without bound. Without
 * such a component, no cycle changes the sum, and each world has a most expensive path: a longer
 * path is followed only if it is more expensive than all before.
 */
export function findBoundViolation(
  { store, graph, width }: Explored,
  { inFlight, change }: Tally,
): BoundViolation | undefined {
  const { ranges, targets, actions, watch } = graph;
  const vector = new Int32Array(width);
  const waiting = new Int32Array(store.size);
  for (let world = 0; world < store.size; world++) {
    watch?.tick();
    store.read(world, vector);
    waiting[world] = inFlight(vector);
  }
  return unboundedSending() ?? mostExpensivePath();

  function sends(source: number, edge: number): boolean {
    return (
      change(actions[edge] as number) + (waiting[targets[edge] as number] as number) >
      (waiting[source] as number)
    );
  }

  function unboundedSending(): BoundViolation | undefined {
    const componentOf = new Map<number, Component>();
    for (const component of Components.of(graph).cycles(worldsOnCycles(graph))) {
      if (!component.members.some((world) => sendingEdge(component, world) >= 0)) continue;
      for (const world of component.members) componentOf.set(world, component);
    }
    if (componentOf.size === 0) return undefined;
    const reach = new Reach(graph, () => true, [0]);
    const entry = reach.worlds.find((world) => componentOf.has(world)) ?? -1;
    const component = componentOf.get(entry);
    if (!component) return undefined; // unreachable: every world is reachable from the initial one
    const sending = new Set([...component.members].map((world) => sendingEdge(component, world)));
    const walk = new ClosedWalk(graph, component, entry);
    walk.over((edge) => sending.has(edge));
    walk.close();
    return { world: 0, run: { ...reach.pathTo(entry), entry, edges: walk.edges } };
  }

  /** An edge from `world` that stays in its component and sends a message; −1 if there is none. */
  function sendingEdge({ has }: Component, world: number): number {
    watch?.tick();
    const end = ranges[2 * world + 1] as number;
    for (let edge = ranges[2 * world] as number; edge < end; edge++)
      if (has(targets[edge] as number) && sends(world, edge)) return edge;
    return -1;
  }

  /** Requires that no cycle changes the sum. */
  function mostExpensivePath(): BoundViolation | undefined {
    if ((waiting[0] as number) > 0) return { world: 0 };
    const onward = longestPath(graph, store.size, {
      first: 0,
      after: (before, _source, edge) => {
        const sum = before + change(actions[edge] as number);
        return sum + (waiting[targets[edge] as number] as number) > 0 ? Number.NaN : sum;
      },
    });
    return onward && { world: 0, onward };
  }
}

/** `of`, evaluated once for each number. */
function memo(of: (number: number) => number): (number: number) => number {
  const known: number[] = [];
  return (number) => {
    const value = known[number] ?? of(number);
    known[number] = value;
    return value;
  };
}
