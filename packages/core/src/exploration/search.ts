import type { ConclaveError } from '../protocol/error.js';
import { CompactStore } from './compact-store.js';
import { Graph } from './graph.js';
import { Queue, Stack, type Waiting } from './queue.js';
import { WorldStore } from './store.js';
import type { Compiled } from './system.js';
import type { Growing, Visited } from './visited.js';

/** Where a search stops short; then it is incomplete, and says so. */
export interface Limits {
  readonly states?: number;
  /** Megabytes of worlds, table and graph. */
  readonly memory?: number;
  readonly seconds?: number;
  readonly depth?: number;
}

export type Limit = keyof Limits;

export interface SearchOptions {
  readonly limits?: Limits;
  /** `breadth` first: the way to each world is a shortest one. `depth` first finds deep worlds soon, by long ways. */
  readonly order?: 'breadth' | 'depth';
  /** How worlds are told apart: `exact`, or by 64 bits of hash. */
  readonly memory?: 'exact' | 'compact';
  /** Whether to keep the edges. */
  readonly graph?: boolean;
}

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
  readonly store: Visited;
  /** The edges, when they were asked for. */
  readonly graph: Graph | undefined;
  readonly states: number;
  readonly transitions: number;
  /** How many steps the furthest world is from the first, on the way by which it was found. */
  readonly depth: number;
  /** The most worlds that were found and not expanded at one time. */
  readonly width: number;
  readonly seconds: number;
  /** The limit that was reached, if any. */
  readonly limit?: Limit;
  /** Whether every reachable world was found and expanded. */
  readonly complete: boolean;
  /** Where worlds are told apart by hash: a bound on the probability that one was overlooked all the same. */
  readonly omission?: number;
}

/** Looking at the clock and at memory after each world would cost more than the world. */
const lookEvery = 512;
const progressEvery = 32_768;

/** Searches the worlds of a system. */
export function search(system: Compiled, options: SearchOptions, listener: SearchListener): Search {
  const { limits = {}, order = 'breadth', memory = 'exact' } = options;
  const {
    states: mostStates = Infinity,
    memory: mostMemory = Infinity,
    seconds: mostSeconds = Infinity,
    depth: mostDepth = Infinity,
  } = limits;
  const store: Growing = memory === 'compact' ? new CompactStore(system.width) : new WorldStore(system.width);
  const graph = options.graph ? new Graph() : undefined;
  const queue: Waiting = order === 'breadth' ? new Queue() : new Stack();
  const start = performance.now();
  const elapsed = () => (performance.now() - start) / 1000;
  const vector = new Int32Array(system.width);
  const next = new Int32Array(system.width);
  let world = -1;
  let transitions = 0;
  let steps = 0;
  let going = true;

  const visit = (action: number) => {
    steps++;
    const before = store.size;
    const id = store.add(next, world, action);
    graph?.edge(world, id, action);
    if (id !== before) return false;
    queue.found(id);
    if (!listener.found(id, next)) going = false;
    return true;
  };
  const fault = (action: number, step: number) => {
    if (!listener.fault(world, action, system.errorOf(step))) going = false;
  };

  system.initial(next);
  queue.found(store.add(next, -1, -1));
  going = listener.found(0, next);
  let limit: Limit | undefined;
  for (let count = 0; going; count++) {
    world = queue.next();
    if (world < 0) break;
    if (queue.depth > mostDepth) {
      limit = 'depth'; // depth-first, others may still be near enough
      continue;
    }
    if (store.size > mostStates) limit = 'states';
    else if (count % lookEvery === 0) {
      if ((store.bytes + (graph?.bytes ?? 0)) / 2 ** 20 > mostMemory) limit = 'memory';
      else if (elapsed() > mostSeconds) limit = 'seconds';
      if (count % progressEvery === 0) listener.progress(store.size, transitions, queue.deepest);
    }
    if (limit && limit !== 'depth') break;
    store.read(world, vector);
    steps = 0;
    graph?.begin(world);
    system.expand(vector, next, visit, fault);
    store.expanded(world);
    transitions += steps;
    if (going && !listener.expanded(world, vector, steps)) going = false;
  }
  return {
    store,
    graph,
    states: store.size,
    transitions,
    depth: queue.deepest,
    width: queue.width,
    seconds: elapsed(),
    ...(limit ? { limit } : {}),
    complete: going && !limit,
    ...(store instanceof CompactStore ? { omission: store.omission } : {}),
  };
}
