import type { Fault, Visit } from '../../compiled/expander.js';
import { hashOf } from '../hash.js';
import { offset } from '../steps.js';
import { WorldStore } from '../store.js';

/** The global number of a world: it also tells which thread keeps it. */
export const worldNumber = (local: number, thread: number, threads: number): number => local * threads + thread;

/**
 * The thread that keeps the worlds with this hash; tables use its other bits first. The first thread, which also evaluates the properties, keeps
 * fewer worlds than the others.
 */
export function ownerOf(hash: number, threads: number): number {
  const part = (hash >>> 16) / 65_536;
  const first = 1 / (threads + extra);
  return part < first ? 0 : 1 + Math.floor(((part - first) / (1 - first)) * (threads - 1));
}

/** The additional work of the first thread, in shares. */
const extra = 0.35;

/** How many worlds a thread expands before it sends the found ones to their owners. */
export const roundSize = 65_536;
/** How many worlds are looked up at once. */
const touched = 32;
/** How many numbers a page of edges holds: source, target, action … */
export const edgePage = 3 << 16;

/** What a thread reports of a round besides the numbers in shared memory. */
export interface Report {
  /** Pages of worlds that are new or reallocated, by number; new pages of origins and of edges. */
  readonly pages: readonly (readonly [number: number, page: Uint16Array | Int32Array])[];
  readonly origins: readonly Int32Array[];
  readonly edges: readonly Int32Array[];
  /** Worlds without actions. */
  readonly ends: readonly number[];
  readonly faults: readonly (readonly [world: number, action: number, step: number])[];
}

/** The status of each thread in shared memory, and its length in words. */
export const word = { left: 0, size: 1, layer: 2, postponed: 3, transitions: 4, edges: 5, kilobytes: 6 } as const;
export const words = 7;

/** Expands `state`; false if the tables lack an entry. */
export type Expand = (state: Int32Array, into: Int32Array, visit: Visit, fault: Fault) => boolean;

export interface Setting {
  readonly thread: number;
  readonly threads: number;
  /** Numbers a world. */
  readonly width: number;
  readonly keepEdges: boolean;
  /** Added to the owner that the hash determines. */
  readonly shift: number;
  /** The found steps for each thread, including itself, and from each thread: the end of the list, then the steps. */
  readonly outboxes: readonly Int32Array[];
  readonly inboxes: readonly Int32Array[];
  /** Its {@link words}. */
  readonly status: Int32Array;
  /** The worlds that its own tables could not expand. */
  readonly postponed: Int32Array;
}

/**
 * One thread's share of a parallel search (Stern & Dill, CAV 1997): the worlds that its part of the hash values owns. It expands them layer by
 * layer in rounds, and exchanges found worlds between two rounds. No table is shared, and the result does not depend on timing.
 */
export class Share {
  readonly store: WorldStore;
  /** The next world to expand; all before the end of the layer have the same distance from the initial world. */
  #next = 0;
  #layer = 0;
  /** Worlds of this layer whose successors did not fit into an outbox. */
  #delayed: number[] = [];
  #postponed = 0;
  #transitions = 0;
  /** Of the current world: its number, how many steps it has, whether they fit, and where the outboxes ended before. */
  #source = 0;
  #steps = 0;
  #hasRoom = true;
  readonly #outboxEnds: number[] = [];
  /** How many numbers a step takes. */
  readonly #length: number;
  readonly #state: Int32Array;
  readonly #into: Int32Array;
  #pages: readonly (Uint16Array | Int32Array)[] = [];
  #origins = 0;
  #edges: Int32Array[] = [];
  #edgeCount = 0;
  #edgesTold = 0;
  #ends: number[] = [];
  #faults: (readonly [world: number, action: number, step: number])[] = [];

  constructor(
    private readonly setting: Setting,
    private readonly expand: Expand,
  ) {
    const { width } = setting;
    this.store = new WorldStore(width, (bytes) => new SharedArrayBuffer(bytes));
    this.#state = new Int32Array(width);
    this.#into = new Int32Array(width);
    this.#length = offset.world + width;
  }

  /** The first world of all, if it falls to this thread. */
  begin(world: Int32Array): void {
    for (const outbox of this.setting.outboxes) outbox[0] = 1;
    const hash = hashOf(world, 0, world.length);
    if (this.#ownerOf(hash) === this.setting.thread) this.store.add(world, 0, hash, -1, -1);
    this.nextLayer();
  }

  /** Makes the worlds found so far the next layer. */
  nextLayer(): void {
    this.#layer = this.store.size;
    this.#publish();
  }

  /** Expands worlds of this layer until a round is full. */
  expandRound(): void {
    const delayed = this.#delayed;
    this.#delayed = [];
    this.#postponed = 0;
    for (const world of delayed) this.#tryOne(world);
    for (let count = 0; count < roundSize && this.#next < this.#layer && this.#delayed.length === 0; count++) this.#tryOne(this.#next++);
    this.#empty(this.setting.inboxes[this.setting.thread] as Int32Array); // its own inbox needs no barrier
    this.#publish();
  }

  /** Expands the postponed worlds after the tables were extended. */
  expandPostponed(): void {
    const postponed = this.setting.postponed.slice(0, this.#postponed);
    this.#postponed = 0;
    for (const world of postponed) this.#tryOne(world);
    this.#publish();
  }

  /** Adds the worlds that were found for this thread. */
  insert(): void {
    for (const inbox of this.setting.inboxes) this.#empty(inbox);
    this.#publish();
  }

  /** The changes since the last report. */
  report(): Report {
    const { pages, origins } = this.store;
    const report: Report = {
      pages: pages.map((page, number) => [number, page] as const).filter(([number, page]) => this.#pages[number] !== page),
      origins: origins.slice(this.#origins),
      edges: this.#edges.slice(this.#edgesTold),
      ends: this.#ends,
      faults: this.#faults,
    };
    this.#pages = [...pages];
    this.#origins = origins.length;
    this.#edgesTold = this.#edges.length;
    this.#ends = [];
    this.#faults = [];
    return report;
  }

  /** Expands one world of this thread, or postpones it if the tables lack an entry or the steps do not fit. */
  #tryOne(world: number): void {
    const { outboxes, thread, threads } = this.setting;
    for (let to = 0; to < threads; to++) this.#outboxEnds[to] = outboxes[to]?.[0] as number;
    this.store.read(world, this.#state);
    this.#source = worldNumber(world, thread, threads);
    this.#steps = 0;
    this.#hasRoom = true;
    const faults = this.#faults.length;
    const isKnown = this.expand(this.#state, this.#into, this.#visit, this.#fault);
    if (isKnown && this.#hasRoom) {
      this.#transitions += this.#steps;
      if (this.#steps === 0 && this.#faults.length === faults) this.#ends.push(world);
      return;
    }
    // Undo what was found.
    for (let to = 0; to < threads; to++) (outboxes[to] as Int32Array)[0] = this.#outboxEnds[to] as number;
    this.#faults.length = faults;
    if (!isKnown) this.setting.postponed[this.#postponed++] = world;
    else if (this.#outboxEnds.every((end) => end === 1)) throw new Error('a world has more steps than an outbox can hold');
    else this.#delayed.push(world);
  }

  /** Puts a step into the outbox for the owner of its target. */
  readonly #visit: Visit = (action) => {
    const into = this.#into;
    const length = this.#length;
    const hash = hashOf(into, 0, into.length);
    const outbox = this.setting.outboxes[this.#ownerOf(hash)] as Int32Array;
    const at = outbox[0] as number;
    this.#steps++;
    if (at + length > outbox.length) this.#hasRoom = false;
    if (!this.#hasRoom) return false;
    outbox[at + offset.hash] = hash;
    outbox[at + offset.action] = action;
    outbox[at + offset.source] = this.#source;
    for (let index = 0; index < into.length; index++) outbox[at + offset.world + index] = into[index] as number;
    outbox[0] = at + length;
    return false; // not used: there is no reduction in a parallel search
  };

  readonly #fault: Fault = (action, step) => {
    this.#faults.push([Math.floor(this.#source / this.setting.threads), action, step]);
  };

  /** Adds the worlds of an inbox, and clears it. */
  #empty(inbox: Int32Array): void {
    const end = inbox[0] as number;
    const piece = touched * this.#length;
    for (let at = 1; at < end; at += piece) this.#addAll(inbox, at, Math.min(end, at + piece));
    inbox[0] = 1;
  }

  /** Adds the targets of the steps from `start` to `end`. */
  #addAll(numbers: Int32Array, start: number, end: number): void {
    const { thread, threads, keepEdges } = this.setting;
    this.store.touch(numbers, start, end, this.#length);
    for (let at = start; at < end; at += this.#length) {
      const source = numbers[at + offset.source] as number;
      const action = numbers[at + offset.action] as number;
      const id = this.store.add(numbers, at + offset.world, numbers[at + offset.hash] as number, source, action);
      if (keepEdges) this.#edge(source, worldNumber(id, thread, threads), action);
    }
  }

  #edge(source: number, target: number, action: number): void {
    const at = this.#edgeCount % edgePage;
    if (at === 0) this.#edges.push(new Int32Array(new SharedArrayBuffer(4 * edgePage)));
    const page = this.#edges[this.#edges.length - 1] as Int32Array;
    page[at] = source;
    page[at + 1] = target;
    page[at + 2] = action;
    this.#edgeCount += 3;
  }

  #ownerOf(hash: number): number {
    const { threads, shift } = this.setting;
    return (ownerOf(hash, threads) + shift) % threads;
  }

  #publish(): void {
    const { status } = this.setting;
    status[word.left] = this.#layer - this.#next + this.#delayed.length;
    status[word.size] = this.store.size;
    status[word.layer] = this.#layer;
    status[word.postponed] = this.#postponed;
    status[word.transitions] = this.#transitions;
    status[word.edges] = this.#edgeCount;
    status[word.kilobytes] = Math.ceil((this.store.bytes + this.#edges.length * 4 * edgePage) / 1024);
  }
}
