/**
 * The memory of a kernel, as JavaScript reads and writes it: WebAssembly addresses 4 GiB, and all
 * views are taken again when it has grown.
 */
import { LimitReached } from '../limits/limits.js';
import { binary } from './binary.js';
import { pageBits } from './format/search.js';

const inPage = (1 << pageBits) - 1;

/**
 * An instance of the kernel with its memory, which holds 4 GiB at most. When it is full, the worlds
 * go to a next one.
 */
export class KernelMemory {
  readonly calls: KernelExports;
  /** The worlds that did not fit, from number 0 on. */
  #next: KernelMemory | undefined;
  /** The memory; views of another buffer once it has grown. */
  #words: Int32Array = new Int32Array(0);
  #halves: Uint16Array = new Uint16Array(0);
  /** Where a record of the memory before is put. */
  #record = 0;
  #width = 0;
  #mostBytes = 0;

  /** `host`: what a search calls; absent if it only keeps worlds. */
  constructor(host: Omit<Host, 'addElsewhere' | 'readElsewhere' | 'full'> = unused) {
    this.calls = kernelInstance({
      ...host,
      addElsewhere: (record) => this.#addBehind(record),
      readElsewhere: (world, into) => this.#next?.read(world, this.view(into, this.#width)),
      full: () => {
        throw new LimitReached('memory');
      },
    });
  }

  /** Begins a search for worlds of `width` numbers, which takes `mostBytes` of one memory. */
  prepare(width: number, mostBytes: number): void {
    this.#next = undefined;
    this.#width = width;
    this.#mostBytes = mostBytes;
  }

  /** Bytes in use, of the next ones as well. */
  get bytes(): number {
    return (this.calls.bytes() >>> 0) + (this.#next?.bytes ?? 0);
  }

  /** How many worlds there are, with those of the next ones. */
  get size(): number {
    return this.calls.size.value;
  }

  /** `length` numbers of 32 bits from `address` on; valid until the memory grows. */
  view(address: number, length: number): Int32Array {
    this.refresh();
    const from = address >>> 2;
    return this.#words.subarray(from, from + length);
  }

  /** Writes numbers of 32 bits from `address` on. A loop is faster than a view for so few. */
  write(address: number, numbers: Int32Array, length = numbers.length): void {
    this.refresh();
    const start = address >>> 2;
    for (let index = 0; index < length; index++)
      this.#words[start + index] = numbers[index] as number;
  }

  /** Copies `length` numbers of 32 bits from `address` on. */
  copy(address: number, length: number, into: Int32Array): void {
    this.refresh();
    const start = address >>> 2;
    for (let index = 0; index < length; index++) into[index] = this.#words[start + index] as number;
  }

  /** Number `place` of those from `address` on; after {@link refresh}. */
  word(address: number, place: number): number {
    return this.#words[(address >>> 2) + place] as number;
  }

  /** Renews what {@link read} and {@link origin} read, if the memory has grown. */
  refresh(): void {
    this.#next?.refresh();
    const { buffer } = this.calls.memory;
    if (buffer === this.#words.buffer) return;
    this.#words = new Int32Array(buffer);
    this.#halves = new Uint16Array(buffer);
  }

  read(id: number, into: Int32Array): void {
    const next = this.#next;
    if (next) {
      const local = this.size - next.size; // to read a global of WebAssembly takes time
      if (id >= local) return next.read(id - local, into);
    }
    const entry = this.#page(id);
    const width = this.#width;
    const row = (id & inPage) * (width + (width & 1));
    const isWide = entry & 1;
    const start = (entry - isWide) / 2 + (4 << pageBits); // in halves of words, after the origins
    if (isWide)
      for (let index = 0; index < width; index++)
        into[index] = this.#words[start / 2 + row + index] as number;
    else
      for (let index = 0; index < width; index++)
        into[index] = this.#halves[start + row + index] as number;
  }

  /** The predecessor of a world (`part` 0), or the action that led to it (1). */
  origin(id: number, part: number): number {
    const next = this.#next;
    if (next) {
      const local = this.size - next.size;
      if (id >= local) return next.origin(id - local, part);
    }
    return this.#words[(this.#page(id) >>> 2) + 2 * (id & inPage) + part] as number;
  }

  /** The address of the page of a world, plus one if its numbers take 32 bits. */
  #page(id: number): number {
    return (this.#words[(this.calls.directory.value >>> 2) + (id >>> pageBits)] as number) >>> 0;
  }

  /**
   * @throws {LimitReached} in a memory for worlds only that holds none: no other one holds a page
   * of them.
   */
  #addBehind(record: number): number {
    if (this.#record !== 0 && this.size === 0) throw new LimitReached('memory');
    const next = this.#next ?? this.#open();
    const length = this.calls.recordBytes.value / 4;
    next.view(next.#record, length).set(this.view(record, length));
    return next.calls.add(next.#record);
  }

  #open(): KernelMemory {
    const next = new KernelMemory();
    this.#next = next;
    next.prepare(this.#width, this.#mostBytes);
    next.calls.prepareWorlds(this.#width, this.#mostBytes);
    next.#record = next.calls.allocate(next.calls.recordBytes.value);
    return next;
  }
}

const never = (): never => {
  throw new Error('unreachable: this memory only keeps worlds');
};
const unused = { lookup: never, found: never, ended: never, fault: never, takeEdges: never };

/**
 * The part of WebAssembly that is used: TypeScript declares it only together with the rest of a
 * browser.
 */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (
    module: object,
    imports: { readonly host: Host },
  ) => { readonly exports: KernelExports };
};

/** What the kernel calls: packages/check/kernel/host.ts. */
interface Host {
  lookup(kind: number, owner: number, first: number, second: number): number;
  found(world: number): boolean;
  ended(world: number): boolean;
  fault(action: number, step: number): boolean;
  takeEdges(count: number, first: number, worlds: number): void;
  addElsewhere(record: number): number;
  readElsewhere(world: number, into: number): void;
  full(): void;
}

interface Value {
  readonly value: number;
}

/** What it exports: packages/check/kernel/index.ts. Addresses are signed here. */
export interface KernelExports {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly state: Value;
  readonly into: Value;
  readonly directory: Value;
  readonly records: Value;
  readonly end: Value;
  readonly size: Value;
  readonly recordBytes: Value;
  readonly steps: Value;
  readonly mostWaiting: Value;
  readonly targets: Value;
  readonly actions: Value;
  readonly degrees: Value;
  allocate(bytes: number): number;
  bytes(): number;
  prepareTables(nodes: number, channels: number): void;
  prepareExpansion(
    nodes: number,
    channels: number,
    tick: number,
    crashesInside: boolean,
    unsent: boolean,
    ends: number,
  ): void;
  known(kind: number, owner: number, key: number): number;
  collect(): number;
  later(): number;
  preparePending(width: number): void;
  setSource(world: number): void;
  push(action: number, world: number): void;
  clear(): void;
  reserveCode(length: number): number;
  prepareSignatures(nodes: number, channels: number): void;
  prepareWorlds(width: number, bytes: number): void;
  add(record: number): number;
  touch(from: number, end: number): void;
  begin(
    width: number,
    bytes: number,
    states: number,
    depth: number,
    signatures: boolean,
    graph: boolean,
  ): void;
  run(): number;
  current(): number;
  depth(): number;
  expansions(): number;
  flushEdges(): void;
}

let compiled: object | undefined;

/**
 * A new instance of the kernel, with a memory of its own. It is compiled once: some milliseconds,
 * and without waiting, since searches are synchronous.
 */
function kernelInstance(host: Host): KernelExports {
  compiled ??= new WebAssembly.Module(
    Uint8Array.from(atob(binary), (character) => character.charCodeAt(0)),
  );
  return new WebAssembly.Instance(compiled, { host }).exports;
}

/** A copy of twice the length. */
export function enlarge(array: Int32Array): Int32Array<ArrayBuffer> {
  const wider = new Int32Array(2 * array.length);
  wider.set(array);
  return wider;
}
