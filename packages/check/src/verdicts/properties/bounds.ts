/**
 * The bound on what a run sends, `atMost`. It needs no counter in the worlds, which would multiply
 * them: what was sent is in flight at the end of the run, or an action has removed it from a
 * channel. So the most expensive run is a longest path in the graph. An incomplete search decides
 * violations. The bounds `increases` and `overtaken` are such paths too: increase.ts, overtaking.ts
 */
import { faults } from '@conclave/core/internal';
import type { Message, PropertyOf } from '@conclave/core/protocol';
import type { CompiledWorlds } from '../../search/tables/compiled-worlds.js';
import type { Action } from '../../worlds/world.js';
import { ClosedWalk, type Component, Components, worldsOnCycles } from '../graphs/components.js';
import { type Explored, longestPath, Reach } from '../graphs/paths.js';
import type { FairRun } from './liveness.js';

/**
 * What an `atMost` counts: in flight and changes together, how far a run has exceeded its bound.
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
interface BoundViolation {
  readonly world: number;
  /** The edges from `world` to the violation. */
  readonly onward?: readonly number[];
  /** A run that sends forever. */
  readonly run?: FairRun;
}

/** What `property` counts in a compiled system. */
export function tallyOf(compiled: CompiledWorlds, { most, per, of }: PropertyOf<'atMost'>): Tally {
  const { parcels, contents, layout, worlds, width } = compiled;
  const { crashNotice } = worlds.protocol; // the network sends it, not the protocol
  const isCounted = ({ type }: Message) => (of ? of.includes(type) : type !== crashNotice);
  const countIn = (messages: readonly Message[]) => messages.filter(isCounted).length;
  const inContent = memo((content) =>
    countIn(contents.list(content).map((parcel) => parcels.message(parcel))),
  );
  const changeBy = (action: Action): number => {
    if (action.type === 'crash')
      return action.during && action.during.type !== 'start' ? changeBy(action.during) : 0;
    if (action.type === 'command') return action.command.type === per ? -most : 0;
    if (!('message' in action)) return 0;
    const remaining =
      action.type === 'deliver' ? [] : faults.channelFaults[action.type].leaves(action.message);
    return countIn([action.message]) - countIn(remaining);
  };
  return {
    inFlight: (vector) => {
      let sum = 0;
      for (let slot = layout.nodes; slot < width - 1; slot++)
        if (vector[slot] !== 0) sum += inContent(vector[slot] as number);
      return sum;
    },
    change: memo((number) => changeBy(compiled.actionOf(number))),
    seesAll: worlds.initial.remaining.partitions === 0,
  };
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
  tally: Tally,
): BoundViolation | undefined {
  const { ranges, targets, actions, watch } = graph;
  const vector = new Int32Array(width);
  const inFlight = new Int32Array(store.size);
  for (let world = 0; world < store.size; world++) {
    watch?.tick();
    store.read(world, vector);
    inFlight[world] = tally.inFlight(vector);
  }
  return unboundedSending() ?? mostExpensivePath();

  function sends(source: number, edge: number): boolean {
    return (
      tally.change(actions[edge] as number) + (inFlight[targets[edge] as number] as number) >
      (inFlight[source] as number)
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
    if ((inFlight[0] as number) > 0) return { world: 0 };
    const onward = longestPath(graph, store.size, {
      first: 0,
      after: (before, _source, edge) => {
        const sum = before + tally.change(actions[edge] as number);
        return sum + (inFlight[targets[edge] as number] as number) > 0 ? Number.NaN : sum;
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
