/**
 * Properties of what grows along a run: `atMost` bounds what has been sent, `increases` compares
 * numbers of nodes, `overtaken` bounds entries while a node waits. None needs a counter in the
 * worlds: each is a longest path in the graph, with steps that count. An incomplete search decides
 * violations.
 */

import { faults, numberOf } from '@conclave/core/internal';
import type { Message, PropertyOf } from '@conclave/core/protocol';
import { CompiledView } from '../../search/tables/compiled-view.js';
import type { CompiledWorlds } from '../../search/tables/compiled-worlds.js';
import { PairTable } from '../../search/tables/interner.js';
import type { Action } from '../../worlds/world.js';
import { ClosedWalk, type Component, Components, worldsOnCycles } from '../graphs/components.js';
import {
  type Explored,
  kindsOf,
  largestSum,
  longestPath,
  type PathSum,
  Reach,
} from '../graphs/paths.js';
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
    if (!('message' in action)) return 0;
    const left =
      action.type === 'deliver' ? [] : faults.channelFaults[action.type].leaves(action.message);
    const countIn = (some: readonly Message[]) => some.filter(({ type }) => counts(type)).length;
    return countIn([action.message]) - countIn(left);
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

/** The numbers of the nodes in a world. */
export interface Numbers {
  readonly nodes: number;
  /** Undefined for a node without a number. */
  readonly of: (vector: Int32Array, node: number) => number | undefined;
}

/** What `property` looks at in a compiled system. */
export function numbersOf(compiled: CompiledWorlds, property: PropertyOf<'increases'>): Numbers {
  const view = new CompiledView(compiled);
  const { length: nodes } = compiled.worlds.topology.nodes;
  /** By node and configuration; null for none. */
  const known: (number | null)[][] = Array.from({ length: nodes }, () => []);
  return {
    nodes,
    of: (vector, node) => {
      const byConfiguration = known[node] as (number | null)[]; // one for each node
      const configuration = vector[node] as number;
      const answer = byConfiguration[configuration];
      if (answer !== undefined) return answer ?? undefined;
      const seen = view.at(vector).nodeAt(node);
      const number = seen.crashed ? undefined : numberOf(property, property.numberOf, seen);
      byConfiguration[configuration] = number ?? null;
      return number;
    },
  };
}

/** The numbers that arise where a world of one kind follows one of another. */
interface Arisen {
  readonly least: number;
  readonly most: number;
}

/**
 * The edges of a shortest run whose last step gives a node a number that is no larger than an
 * earlier one; undefined if there is none.
 */
export function findDecrease(
  explored: Explored,
  { nodes, of }: Numbers,
): readonly number[] | undefined {
  const { store, graph } = explored;
  const { targets } = graph;
  const numbers: number[] = [Number.NaN]; // by code; none has code 0
  const codes = new Map<number, number>();
  const codeOf = (vector: Int32Array, node: number): number => {
    const number = of(vector, node);
    if (number === undefined) return 0;
    const known = codes.get(number);
    if (known !== undefined) return known;
    codes.set(number, numbers.length);
    return numbers.push(number) - 1;
  };
  const kinds = kindsOf(explored, nodes, codeOf);
  /** By kinds of source and target: what arises on an edge between them; undefined for nothing. */
  const known: (Arisen | undefined)[] = [];
  const places = new PairTable();
  const arisenBetween = (before: number, after: number): Arisen | undefined => {
    const place = places.get(before, after);
    if (place >= 0) return known[place];
    const arisen = arising(before, after);
    places.add(before, after, known.push(arisen) - 1);
    return arisen;
  };
  const arising = (before: number, after: number): Arisen | undefined => {
    const found: number[] = [];
    for (let node = 0; node < nodes; node++) {
      const code = kinds.codes[after * nodes + node] as number;
      if (code !== 0 && code !== kinds.codes[before * nodes + node])
        found.push(numbers[code] as number);
    }
    if (found.length === 0) return undefined;
    return {
      least: found.some(Number.isNaN) ? -Infinity : Math.min(...found),
      most: Math.max(...found),
    }; // NaN is not larger than any number
  };
  const initial = kinds.codes.slice(
    (kinds.of[0] as number) * nodes,
    ((kinds.of[0] as number) + 1) * nodes,
  );
  const first = Math.max(
    -Infinity,
    ...initial.filter((code) => code !== 0).map((code) => numbers[code] as number),
  );
  if (Number.isNaN(first)) return []; // nothing compares as larger than NaN
  return longestPath(graph, store.size, {
    first,
    kinds: kinds.of,
    after: (largest, source, edge) => {
      const arisen = arisenBetween(
        kinds.of[source] as number,
        kinds.of[targets[edge] as number] as number,
      );
      if (!arisen) return largest;
      return arisen.least > largest ? Math.max(largest, arisen.most) : Number.NaN;
    },
  });
}

/** Who waits and who is inside: by world, for each node. */
interface Entering {
  readonly isWaiting: (vector: Int32Array, node: number) => boolean;
  readonly isInside: (vector: Int32Array, node: number) => boolean;
  readonly nodes: number;
}

/** What an `overtaken` looks at. */
export interface Overtaking extends Entering {
  readonly most: number;
}

/**
 * The edges of a shortest run on which some node enters more than `most` times while another one
 * waits; undefined if there is none. Only the number of entries since that other one began to wait
 * counts.
 */
export function findOvertaking(
  explored: Explored,
  { most, nodes, ...of }: Overtaking,
): readonly number[] | undefined {
  const { store, graph } = explored;
  const entries = entriesIn(explored, { nodes, ...of });
  let shortest: readonly number[] | undefined;
  for (let waiter = 0; waiter < nodes; waiter++)
    for (let other = 0; other < nodes; other++) {
      if (waiter === other) continue;
      const found = longestPath(graph, store.size, entries(waiter, [other], most));
      if (found && found.length < (shortest?.length ?? Infinity)) shortest = found;
    }
  return shortest;
}

/**
 * The largest number of entries of others while some node waits: of one other node, and of all
 * others together.
 */
export function largestOvertaking(
  explored: Explored,
  of: Entering,
): { readonly ofOne: number; readonly ofAll: number } {
  const { store, graph } = explored;
  const entries = entriesIn(explored, of);
  const ids = Array.from({ length: of.nodes }, (_, node) => node);
  const most = (waiter: number, others: readonly number[]) =>
    largestSum(graph, store.size, entries(waiter, others, Infinity), others.length);
  return {
    ofOne: Math.max(
      0,
      ...ids.flatMap((waiter) =>
        ids.flatMap((other) => (other === waiter ? [] : [most(waiter, [other])])),
      ),
    ),
    ofAll: Math.max(
      0,
      ...ids.map((waiter) =>
        most(
          waiter,
          ids.filter((other) => other !== waiter),
        ),
      ),
    ),
  };
}

/** Bits of the code of a node. */
const [waits, inside] = [1, 2];

/**
 * The entries of some nodes while another one waits, as sums of paths; more than `most` are a
 * violation.
 */
function entriesIn(explored: Explored, { isWaiting, isInside, nodes }: Entering) {
  const { targets } = explored.graph;
  const { of, codes } = kindsOf(
    explored,
    nodes,
    (vector, node) => (isWaiting(vector, node) ? waits : 0) | (isInside(vector, node) ? inside : 0),
  );
  const byKind = Uint8Array.from(codes);
  return (waiter: number, others: readonly number[], most: number): PathSum => ({
    first: 0,
    kinds: of,
    after: (sum, source, edge) => {
      const before = (of[source] as number) * nodes;
      const after = (of[targets[edge] as number] as number) * nodes;
      if (((byKind[before + waiter] as number) & waits) === 0) return 0;
      let count = 0;
      for (let index = 0; index < others.length; index++) {
        const other = others[index] as number;
        if (
          ((byKind[before + other] as number) & inside) === 0 &&
          ((byKind[after + other] as number) & inside) !== 0
        )
          count++;
      }
      if (count > 0 && sum >= most) return Number.NaN;
      return ((byKind[after + waiter] as number) & waits) === 0 ? 0 : sum + count;
    },
  });
}
