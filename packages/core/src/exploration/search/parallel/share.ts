import type { Fault, Visit } from '../../compiled/expander.js';
import { hashOf } from '../hash.js';
import { offset } from '../steps.js';
import { WorldStore } from '../store.js';

/** The number of a world among all threads: it tells which of them keeps it. */
export const worldNumber = (local: number, thread: number, threads: number): number => local * threads + thread;

/**
 * Which of so many threads a hash falls to; tables use its other bits first. The first thread, which also looks at every world for the properties,
 * keeps fewer worlds than the others.
 */
export function ownerOf(hash: number, threads: number): number {
  const part = (hash >>> 16) / 65_536;
  const first = 1 / (threads + extra);
  return part < first ? 0 : 1 + Math.floor(((part - first) / (1 - first)) * (threads - 1));
}

/** The work of the first thread besides its share, in shares. */
const extra = 0.35;

/** How many worlds a thread expands before it hands over what it has found for others. */
export const roundSize = 65_536;
/** How many worlds are looked up at once. */
const touched = 32;
/** How many numbers a page of edges holds: source, target, action … */
export const edgePage = 3 << 16;

/** What a thread tells of a round that the numbers in shared memory do not. */
export interface Report {
  /** Pages of worlds that are new or have moved, by number; new ones of origins and of edges. */
  readonly pages: readonly (readonly [number: number, page: Uint16Array | Int32Array])[];
  readonly origins: readonly Int32Array[];
  readonly edges: readonly Int32Array[];
  /** Worlds without a next one. */
  readonly ends: readonly number[];
  readonly faults: readonly (readonly [world: number, action: number, step: number])[];
}

/** What each thread keeps up to date in shared memory, so many words a thread. */
export const word = { left: 0, size: 1, layer: 2, postponed: 3, transitions: 4, edges: 5, kilobytes: 6 } as const;
export const words = 7;

/** Expands `state`; false: not all that it takes is known yet. */
export type Expand = (state: Int32Array, into: Int32Array, visit: Visit, fault: Fault) => boolean;

export interface Setting {
  readonly thread: number;
  readonly threads: number;
  /** Numbers a world. */
  readonly width: number;
  readonly keepEdges: boolean;
  /** Which thread keeps a world is told by its hash, and shifted by so much. */
  readonly shift: number;
  /** What it found for each thread, itself included, and what each found for it: where that ends, then steps. */
  readonly outboxes: readonly Int32Array[];
  readonly inboxes: readonly Int32Array[];
  /** Its {@link words}. */
  readonly status: Int32Array;
  /** The worlds that it could not expand by its own tables. */
  readonly postponed: Int32Array;
}

/**
 * One thread's share of a parallel search (Stern & Dill, CAV 1997): the worlds whose hash falls to it. It expands them layer by layer and in
 * rounds, and hands those of others over between two rounds, so that no table is ever shared, and the result is the same whatever the timing.
 */
export class Share {
  readonly store: WorldStore;
  /** The next world to expand; those before the layer's end are as far from the first world as it is. */
  #next = 0;
  #layer = 0;
  /** Worlds of this layer for which there was no room in an outbox. */
  #delayed: number[] = [];
  #postponed = 0;
  #transitions = 0;
  /** Of the world at hand: its number, how many steps were found, whether there was room for them, and where the outboxes ended before. */
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

  /** The worlds found so far are the next layer. */
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
    this.#empty(this.setting.inboxes[this.setting.thread] as Int32Array); // nobody need be waited for
    this.#publish();
  }

  /** Expands those that had to wait for an answer. */
  expandPostponed(): void {
    const postponed = this.setting.postponed.slice(0, this.#postponed);
    this.#postponed = 0;
    for (const world of postponed) this.#tryOne(world);
    this.#publish();
  }

  /** Takes in what was found for this thread. */
  insert(): void {
    for (const inbox of this.setting.inboxes) this.#empty(inbox);
    this.#publish();
  }

  /** What is new since the last report. */
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

  /** Expands one world of this thread: now, or later if something is not known or there is no room. */
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
    // As if nothing had been found.
    for (let to = 0; to < threads; to++) (outboxes[to] as Int32Array)[0] = this.#outboxEnds[to] as number;
    this.#faults.length = faults;
    if (!isKnown) this.setting.postponed[this.#postponed++] = world;
    else if (this.#outboxEnds.every((end) => end === 1)) throw new Error('a world has more steps than a round can hand over');
    else this.#delayed.push(world);
  }

  /** A step goes to the outbox of whoever keeps the world that it leads to. */
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
    return false; // nobody asks: no reduction is at work here
  };

  readonly #fault: Fault = (action, step) => {
    this.#faults.push([Math.floor(this.#source / this.setting.threads), action, step]);
  };

  /** Takes in what stands in an inbox. */
  #empty(inbox: Int32Array): void {
    const end = inbox[0] as number;
    const piece = touched * this.#length;
    for (let at = 1; at < end; at += piece) this.#addAll(inbox, at, Math.min(end, at + piece));
    inbox[0] = 1;
  }

  /** Adds the worlds that steps lead to, which stand from `start` to `end`. */
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
