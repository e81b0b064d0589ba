import type { ConclaveError } from '../../../base/error.js';
import { KernelStore } from '../kernel/kernel-store.js';
import { offset, Steps } from '../kernel/steps.js';
import type { Growing, Visited } from '../kernel/visited.js';
import type { Limit, Limits } from '../limits/limits.js';
import { LimitReached, Watch } from '../limits/watch.js';
import { Graph } from './graph.js';
import { Queue, Stack, type Waiting } from './queue.js';
import type { Compiled } from './system.js';

export interface SearchOptions {
  /** Only the limits of states and depth are read. */
  readonly limits?: Limits;
  /** Watches time and memory. */
  readonly watch?: Watch;
  /**
   * `breadth` first: the path to each world is a shortest one. `depth` first finds deep worlds
   * sooner, by longer paths.
   */
  readonly order?: 'breadth' | 'depth';
  /** Whether to keep the edges. */
  readonly graph?: boolean;
  /** With more edges than this, none are kept. Default: no limit. */
  readonly mostEdges?: number;
}

/** Called during a search. */
export interface SearchListener {
  /** A new world; false ends the search. */
  found(world: number, vector: Int32Array): boolean;
  /** A world without actions, not even one that fails; false ends the search. */
  ended(world: number, vector: Int32Array): boolean;
  /** A world was expanded: all of its steps are taken. Not called by the kernel. */
  expanded?(world: number, vector: Int32Array): void;
  /** An action that fails; false ends the search. */
  fault(world: number, action: number, error: ConclaveError): boolean;
  progress(states: number, transitions: number, depth: number): void;
}

export interface Search {
  readonly store: Visited;
  /** The edges, if {@link SearchOptions.graph} is set. */
  readonly graph: Graph | undefined;
  /** How many initial worlds there are; they have the first numbers. Absent: one. */
  readonly starts?: number;
  readonly states: number;
  readonly transitions: number;
  /** The largest length of a path on which a world was found. */
  readonly depth: number;
  /** The largest number of worlds that were found and not yet expanded. */
  readonly width: number;
  /** The limit that was reached, if any. */
  readonly limit?: Limit;
  /** Whether every reachable world was found and expanded. */
  readonly complete: boolean;
}

const progressEvery = 32_768;
/**
 * How many worlds are expanded before the found ones are looked up, and from which size of the
 * search on.
 */
const batch = 16;
const smallest = 4096;
/**
 * How many numbers are kept before a look-up in the middle of an expansion: a few wide worlds take
 * much memory.
 */
const mostPending = 1 << 20;

/** Searches the worlds of a system. */
export function search(system: Compiled, options: SearchOptions, listener: SearchListener): Search {
  const {
    limits = {},
    watch = new Watch(limits),
    order = 'breadth',
    mostEdges = Infinity,
  } = options;
  const { states: mostStates = Infinity, depth: mostDepth = Infinity } = limits;
  const store: Growing = new KernelStore(system.width);
  let graph = options.graph ? new Graph() : undefined;
  const queue: Waiting = order === 'breadth' ? new Queue() : new Stack();
  const vector = new Int32Array(system.width);
  const newest = new Int32Array(system.width);
  const next = new Int32Array(system.width);
  const found = new Steps(system.width);
  watch.outside = () => store.bytes;
  watch.counted = () =>
    store.bytes + (graph?.bytes ?? 0) + (system.bytes ?? 0) + found.numbers.byteLength;
  let world = -1;
  let transitions = 0;
  let going = true;

  /** Looks up the found worlds; returns the number of the last one. */
  const lookUp = (): number => {
    const { numbers, end, length } = found;
    let last = -1;
    store.addAll(numbers, end, (at, id, isNew) => {
      graph?.edge(numbers[at + offset.source] as number, id, numbers[at + offset.action] as number);
      last = id;
      if (!isNew) return;
      queue.found(id);
      for (let index = 0; index < newest.length; index++)
        newest[index] = numbers[at + offset.world + index] as number;
      if (!listener.found(id, newest)) going = false;
    });
    transitions += end / length;
    found.clear();
    if (graph && graph.edges > mostEdges) graph = undefined;
    return last;
  };
  const visit = (action: number): boolean => {
    isEnd = false;
    watch.tick();
    found.push(action, world, next);
    if (system.asks !== true) {
      if (found.end > mostPending) {
        lookUp();
        isBegun = true;
      }
      return false;
    }
    const before = store.size;
    const id = lookUp();
    return id === before || (order === 'breadth' && id > world);
  };
  const fault = (action: number, step: number) => {
    isEnd = false;
    if (!listener.fault(world, action, system.errorOf(step))) going = false;
  };
  /** Whether the current world has no action so far. */
  let isEnd = true;
  /**
   * Whether some of its steps are already looked up: the others must follow before another world's,
   * since the graph needs the edges of a world together.
   */
  let isBegun = false;

  for (let start = 0; start < (system.starts ?? 1); start++) {
    system.initial(next, start);
    found.push(-1, -1, next);
  }
  lookUp();
  transitions = 0; // no step leads to an initial world
  const starts = store.size;
  let limit: Limit | undefined;
  const run = () => {
    for (let count = 0; going; count++) {
      if (count % batch === 0 || store.size < smallest || queue.needsLookUp) lookUp();
      world = going ? queue.next() : -1;
      if (world < 0) break;
      if (queue.depth > mostDepth) {
        limit = 'depth'; // in a depth-first search, others may be within the limit
        continue;
      }
      if (store.size > mostStates) throw new LimitReached('states');
      if (count === 0) watch.look();
      watch.tick();
      if (count % progressEvery === 0) listener.progress(store.size, transitions, queue.deepest);
      store.read(world, vector);
      isEnd = true;
      system.expand(vector, next, visit, fault);
      if (isBegun) lookUp();
      isBegun = false;
      listener.expanded?.(world, vector);
      if (!isEnd) continue;
      graph?.begin(world);
      if (!listener.ended(world, vector)) going = false;
    }
  };
  try {
    run();
  } catch (reached) {
    if (!(reached instanceof LimitReached)) throw reached;
    limit = reached.limit;
  }
  return {
    store,
    graph,
    starts,
    states: store.size,
    transitions,
    depth: queue.deepest,
    width: queue.width,
    ...(limit ? { limit } : {}),
    complete: going && !limit,
  };
}
