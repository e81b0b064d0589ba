import type { ConclaveError } from '../../protocol/error.js';
import type { Compiled } from '../compiled/system.js';
import { CompactStore } from './compact-store.js';
import { Graph } from './graph.js';
import { Queue, Stack, type Waiting } from './queue.js';
import { of, Steps } from './steps.js';
import { WorldStore } from './store.js';
import type { Growing, Visited } from './visited.js';

/** Where a search stops short; then it is incomplete, and says so. */
export interface Limits {
  readonly states?: number;
  /** Megabytes of worlds, table and graph. */
  readonly memory?: number;
  readonly seconds?: number;
  readonly depth?: number;
  /** Asked now and then; true ends the search, as a person who does not want to wait any longer. */
  readonly stop?: () => boolean;
}

/** What ended a search: a limit, or `interrupted` for {@link Limits.stop}. */
export type Limit = Exclude<keyof Limits, 'stop'> | 'interrupted';

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
  /** A world out of which no step leads, not even one that breaks the rules; false ends the search. */
  ended(world: number, vector: Int32Array): boolean;
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
/** How many worlds are expanded before what was found is looked up, and how large a search must be for that to pay. */
const batch = 16;
const smallest = 4096;

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
  const found = new Steps(system.width);
  let world = -1;
  let transitions = 0;
  let going = true;

  /** Looks up what was found; the number of the last of it. */
  const lookUp = (): number => {
    const { numbers, end, length } = found;
    if (end > length) store.touch(numbers, 0, end, length);
    let last = -1;
    for (let at = 0; at < end; at += length) {
      const action = numbers[at + of.action] as number;
      const source = numbers[at + of.source] as number;
      const before = store.size;
      const id = store.add(numbers, at + of.world, numbers[at + of.hash] as number, source, action);
      graph?.edge(source, id, action);
      last = id;
      if (id !== before) continue;
      queue.found(id);
      for (let index = 0; index < next.length; index++) next[index] = numbers[at + of.world + index] as number;
      if (!listener.found(id, next)) going = false;
    }
    transitions += end / length;
    found.clear();
    return last;
  };
  const visit = (action: number): boolean => {
    isEnd = false;
    found.push(action, world, next);
    if (system.asks !== true) return false;
    const before = store.size;
    const id = lookUp();
    return id === before || (order === 'breadth' && id > world);
  };
  const fault = (action: number, step: number) => {
    isEnd = false;
    if (!listener.fault(world, action, system.errorOf(step))) going = false;
  };
  /** Whether nothing has come of the world at hand yet. */
  let isEnd = true;

  system.initial(next);
  found.push(-1, -1, next);
  lookUp();
  transitions = 0; // no step leads to the first world
  let limit: Limit | undefined;
  for (let count = 0; going; count++) {
    if (count % batch === 0 || store.size < smallest || queue.turns) lookUp();
    world = going ? queue.next() : -1;
    if (world < 0) break;
    if (queue.depth > mostDepth) {
      limit = 'depth'; // depth-first, others may still be near enough
      continue;
    }
    if (store.size > mostStates) limit = 'states';
    else if (count % lookEvery === 0) {
      if ((store.bytes + (graph?.bytes ?? 0)) / 2 ** 20 > mostMemory) limit = 'memory';
      else if (elapsed() > mostSeconds) limit = 'seconds';
      else if (limits.stop?.()) limit = 'interrupted';
      if (count % progressEvery === 0) listener.progress(store.size, transitions, queue.deepest);
    }
    if (limit && limit !== 'depth') break;
    store.read(world, vector);
    isEnd = true;
    system.expand(vector, next, visit, fault);
    store.expanded(world);
    if (!isEnd) continue;
    graph?.begin(world);
    if (!listener.ended(world, vector)) going = false;
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
