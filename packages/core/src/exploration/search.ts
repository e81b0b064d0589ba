import type { ConclaveError } from '../protocol/error.js';
import { Graph } from './graph.js';
import { WorldStore } from './store.js';
import type { Compiled } from './system.js';

/** Where a search stops short; then it is incomplete, and says so. */
export interface Limits {
  readonly states?: number;
  /** Megabytes of worlds, table and graph. */
  readonly memory?: number;
  readonly seconds?: number;
  readonly depth?: number;
}

export type Limit = keyof Limits;

/** What a search hands over as it goes. */
export interface SearchListener {
  /** A new world; false ends the search. */
  found(world: number, vector: Int32Array): boolean;
  /** A world whose every successor is known: how many steps lead out of it. */
  expanded(world: number, vector: Int32Array, steps: number): boolean;
  /** An action that breaks the rules of the system; false ends the search. */
  fault(world: number, action: number, error: ConclaveError): boolean;
  progress(states: number, transitions: number, depth: number): void;
}

export interface Search {
  readonly store: WorldStore;
  /** The edges, when they were asked for. */
  readonly graph: Graph | undefined;
  readonly states: number;
  readonly transitions: number;
  /** The longest of the shortest ways to a world. */
  readonly depth: number;
  readonly seconds: number;
  /** The limit that was reached, if any. */
  readonly limit?: Limit;
  /** Whether every reachable world was found and expanded. */
  readonly complete: boolean;
}

/** Looking at the clock and at memory after each world would cost more than the world. */
const lookEvery = 512;
const progressEvery = 32_768;

/** Breadth-first search: the way to each world is a shortest one. */
export function search(system: Compiled, limits: Limits, keepGraph: boolean, listener: SearchListener): Search {
  const { states: mostStates = Infinity, memory = Infinity, seconds: mostSeconds = Infinity, depth: mostDepth = Infinity } = limits;
  const store = new WorldStore(system.width);
  const graph = keepGraph ? new Graph() : undefined;
  const start = performance.now();
  const elapsed = () => (performance.now() - start) / 1000;
  const vector = new Int32Array(system.width);
  const next = new Int32Array(system.width);
  let world = 0;
  let transitions = 0;
  let steps = 0;
  let depth = 0;
  let limit: Limit | undefined;
  let going = true;

  const visit = (action: number) => {
    steps++;
    const before = store.size;
    const id = store.add(next, world, action);
    graph?.edge(id, action);
    if (id === before && !listener.found(id, next)) going = false;
  };
  const fault = (action: number, error: ConclaveError) => {
    if (!listener.fault(world, action, error)) going = false;
  };

  system.initial(next);
  store.add(next, -1, -1);
  going = listener.found(0, next);
  /** The first world of the next layer. */
  let layer = 1;
  while (going && world < store.size) {
    if (world === layer) {
      depth++;
      layer = store.size;
    }
    if (store.size > mostStates) limit = 'states';
    else if (depth > mostDepth) limit = 'depth';
    else if (world % lookEvery === 0) {
      if ((store.bytes + (graph?.bytes ?? 0)) / 2 ** 20 > memory) limit = 'memory';
      else if (elapsed() > mostSeconds) limit = 'seconds';
      if (world % progressEvery === 0) listener.progress(store.size, transitions, depth);
    }
    if (limit) break;
    store.read(world, vector);
    steps = 0;
    system.expand(vector, next, visit, fault);
    graph?.expanded();
    transitions += steps;
    if (going && !listener.expanded(world, vector, steps)) going = false;
    world++;
  }
  return {
    store,
    graph,
    states: store.size,
    transitions,
    depth,
    seconds: elapsed(),
    ...(limit ? { limit } : {}),
    complete: world === store.size && !limit,
  };
}
