/**
 * What a system is to a search, and the search in JavaScript: breadth-first or depth-first, with
 * every world shown to its listener. The kernel does the same breadth-first, in the same order,
 * and shows fewer worlds: kernel-search.ts. Tests compare the two.
 */
import type { ConclaveError } from '@conclave/core/protocol';
import type { Fault, Visit } from '../kernel/kernel.js';
import { KernelStore, type KernelWorlds } from '../kernel/kernel-store.js';
import { type Limit, LimitReached, type Limits, Watch } from '../limits/limits.js';
import { Graph } from './graph.js';

/** Time as the verdicts need it: only runs in which time diverges count. */
export interface SystemTime {
  /** The action by which a tick passes. */
  readonly tick: number;
  /**
   * Whether a clock runs in a state, or something is due. If not, time passes there without a
   * trace.
   */
  runs(state: Int32Array): boolean;
  /** Whether an action is a crash: none has to happen, so it does not get time going. */
  isCrash(action: number): boolean;
  /** The error for a state in which something is due that cannot happen. */
  stopped(state: Int32Array): ConclaveError;
}

/**
 * A system as the search sees it: a state is a vector of `width` integers, equal exactly if the
 * states are. The search does not know their meaning.
 */
export interface System {
  readonly width: number;
  /** The number of initial states; absent: one. */
  readonly starts?: number;
  /** Writes initial state number `start`. */
  initial(into: Int32Array, start: number): void;
  /**
   * Calls `visit` for each successor of `state` with the number of its action; the successor is in
   * `into` during the call. Calls `fault` for an action that fails.
   */
  expand(state: Int32Array, into: Int32Array, visit: Visit, fault: Fault): void;
  /** The approximate memory of the parts of states, besides their vectors; absent: very little. */
  readonly bytes?: number;
  /** In exact time. */
  readonly time?: SystemTime;
  /** Whether the next action is drawn at random in a state. Absent: in none. */
  draws?(state: Int32Array): boolean;
  /** The error of a step that was passed to `fault`. */
  errorOf(step: number): ConclaveError;
  /** The fairness class of an action; −1 for an unfair one. */
  fairness(action: number): number;
}

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
}

/** Called during a search. */
export interface SearchListener {
  /** A new world; false ends the search. */
  found(world: number, vector: Int32Array): boolean;
  /** A world without actions, not even one that fails; false ends the search. */
  ended(world: number, vector: Int32Array): boolean;
  /** An action that fails; false ends the search. */
  fault(world: number, action: number, error: ConclaveError): boolean;
  progress(states: number, transitions: number, depth: number): void;
}

export interface Search {
  readonly store: KernelWorlds;
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
export const search = (system: System, options: SearchOptions, listener: SearchListener): Search =>
  new Traversal(system, options, listener).search();

/** A search that runs. */
class Traversal {
  readonly #limits: Limits;
  readonly #watch: Watch;
  readonly #isBreadthFirst: boolean;
  readonly #mostSteps: number;
  readonly #store: KernelStore;
  readonly #queue: Waiting;
  readonly #graph: Graph | undefined;
  /** The world that is expanded, and its vector; that of a successor, and of a new world. */
  #world = -1;
  readonly #vector: Int32Array;
  readonly #next: Int32Array;
  readonly #newest: Int32Array;
  #transitions = 0;
  #isGoing = true;
  #limit: Limit | undefined;
  /** Whether the current world has no action so far. */
  #isEnd = true;
  /**
   * Whether some of its steps are already looked up: the others must follow before another world's,
   * since the graph needs the edges of a world together.
   */
  #isBegun = false;

  constructor(
    private readonly system: System,
    { limits = {}, watch = new Watch(limits), order = 'breadth', ...options }: SearchOptions,
    private readonly listener: SearchListener,
  ) {
    const { width } = system;
    this.#limits = limits;
    this.#watch = watch;
    this.#isBreadthFirst = order === 'breadth';
    this.#mostSteps = mostPending / (width + 3);
    this.#store = new KernelStore(width);
    this.#queue = this.#isBreadthFirst ? new Queue() : new Stack();
    this.#graph = options.graph ? new Graph() : undefined;
    this.#vector = new Int32Array(width);
    this.#next = new Int32Array(width);
    this.#newest = new Int32Array(width);
    watch.outside = () => this.#store.bytes;
    watch.counted = () => this.#store.bytes + (this.#graph?.bytes ?? 0) + (system.bytes ?? 0);
  }

  search(): Search {
    const { system } = this;
    for (let start = 0; start < (system.starts ?? 1); start++) {
      system.initial(this.#next, start);
      this.#store.push(-1, -1, this.#next);
    }
    this.#lookUp();
    this.#transitions = 0; // no step leads to an initial world
    const starts = this.#store.size;
    try {
      this.#expandAll();
    } catch (reached) {
      if (!(reached instanceof LimitReached)) throw reached;
      this.#limit = reached.limit;
    }
    return {
      store: this.#store,
      graph: this.#graph,
      starts,
      states: this.#store.size,
      transitions: this.#transitions,
      depth: this.#queue.deepest,
      width: this.#queue.width,
      ...(this.#limit ? { limit: this.#limit } : {}),
      complete: this.#isGoing && !this.#limit,
    };
  }

  #expandAll(): void {
    const { depth: mostDepth = Infinity, states: mostStates = Infinity } = this.#limits;
    for (let count = 0; this.#isGoing && this.#turn(count); count++) {
      if (this.#queue.depth > mostDepth) {
        this.#limit = 'depth'; // in a depth-first search, others may be within the limit
        continue;
      }
      if (this.#store.size > mostStates) throw new LimitReached('states');
      if (count === 0) this.#watch.look();
      this.#watch.tick();
      if (count % progressEvery === 0)
        this.listener.progress(this.#store.size, this.#transitions, this.#queue.deepest);
      this.#expand();
    }
  }

  /** Turns to the next world; false if there is none. */
  #turn(count: number): boolean {
    if (count % batch === 0 || this.#store.size < smallest || this.#queue.needsLookUp)
      this.#lookUp();
    this.#world = this.#isGoing ? this.#queue.next() : -1;
    return this.#world >= 0;
  }

  #expand(): void {
    const vector = this.#vector;
    this.#store.read(this.#world, vector);
    this.#isEnd = true;
    this.system.expand(vector, this.#next, this.#visit, this.#fault);
    if (this.#isBegun) this.#lookUp();
    this.#isBegun = false;
    if (!this.#isEnd) return;
    this.#graph?.begin(this.#world);
    if (!this.listener.ended(this.#world, vector)) this.#isGoing = false;
  }

  readonly #visit = (action: number): void => {
    this.#isEnd = false;
    this.#watch.tick();
    this.#store.push(this.#world, action, this.#next);
    if (this.#store.waiting <= this.#mostSteps) return;
    this.#lookUp();
    this.#isBegun = true;
  };

  readonly #fault = (action: number, step: number): void => {
    this.#isEnd = false;
    if (!this.listener.fault(this.#world, action, this.system.errorOf(step))) this.#isGoing = false;
  };

  /** Looks up the steps that wait. */
  #lookUp(): void {
    this.#transitions += this.#store.waiting;
    this.#store.lookUp((source, action, target, isNew) => {
      this.#graph?.edge(source, target, action);
      if (isNew) this.#found(target);
    });
  }

  #found(world: number): void {
    this.#queue.found(world);
    this.#store.read(world, this.#newest);
    if (!this.listener.found(world, this.#newest)) this.#isGoing = false;
  }
}

/** Worlds that were found and are not yet expanded. */
interface Waiting {
  /** Adds a world that was found from the one {@link next} returned last. */
  found(world: number): void;
  /** Whether all found worlds must be added before the call of {@link next}. */
  readonly needsLookUp: boolean;
  /** The world to expand; −1 when none is left. */
  next(): number;
  /** The distance from the initial world of the one `next` returned last. */
  readonly depth: number;
  /** The largest depth so far. */
  readonly deepest: number;
  /** The largest number of worlds that waited at one time. */
  readonly width: number;
}

/** First in, first out: worlds are expanded layer by layer, in the order of their numbers. */
class Queue implements Waiting {
  /** −1 before the first call of `next`. */
  depth = -1;
  width = 0;
  #next = 0;
  #end = 0;
  /** The first world of the next layer. */
  #layer = 0;

  get deepest(): number {
    return Math.max(0, this.depth);
  }

  get needsLookUp(): boolean {
    return this.#next === this.#layer || this.#next === this.#end;
  }

  found(): void {
    this.#end++;
    this.width = Math.max(this.width, this.#end - this.#next);
  }

  next(): number {
    if (this.#next === this.#end) return -1;
    if (this.#next === this.#layer) {
      this.depth++;
      this.#layer = this.#end;
    }
    return this.#next++;
  }
}

/** Last in, first out. */
class Stack implements Waiting {
  depth = -1;
  deepest = 0;
  width = 0;
  readonly needsLookUp = true;
  readonly #worlds: number[] = [];
  readonly #depths: number[] = [];

  found(world: number): void {
    this.#worlds.push(world);
    this.#depths.push(this.depth + 1);
    this.width = Math.max(this.width, this.#worlds.length);
  }

  next(): number {
    this.depth = this.#depths.pop() ?? this.depth;
    this.deepest = Math.max(this.deepest, this.depth);
    return this.#worlds.pop() ?? -1;
  }
}

/** Runs `confirm` after a complete search; the search is incomplete if that reaches a limit. */
export function confirmSearch(found: Search, confirm: () => void): Search {
  if (!found.complete) return found;
  try {
    confirm();
    return found;
  } catch (reached) {
    if (reached instanceof LimitReached) return { ...found, complete: false, limit: reached.limit };
    throw reached;
  }
}
