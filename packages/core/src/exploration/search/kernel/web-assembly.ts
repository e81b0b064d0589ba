import { binary, sharedFlag } from './binary.js';

/**
 * The part of WebAssembly that is used: TypeScript declares it only together with the rest of a
 * browser.
 */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (
    module: object,
    imports: { readonly host: Host; readonly env: { readonly memory: SearchMemory } },
  ) => { readonly exports: KernelExports };
  readonly Memory: new (size: {
    readonly initial: number;
    readonly maximum: number;
    readonly shared: boolean;
  }) => SearchMemory;
};

/** The memory of a kernel. */
export interface SearchMemory {
  readonly buffer: ArrayBufferLike;
}

/** What the kernel calls: packages/core/kernel/host.ts. */
export interface Host {
  lookup(kind: number, owner: number, first: number, second: number): number;
  lost(): void;
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

/** What it exports: packages/core/kernel/index.ts. Addresses are signed here. */
export interface KernelExports {
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
  beginTeam(threads: number, bytes: number, leastSources: number, edges: boolean): boolean;
  awaitHelp(threads: number): void;
  finishRound(): number;
  /** How many rounds were completed, how many cancelled, and how many worlds missed an entry. */
  readonly rounds: Value;
  readonly cancellations: Value;
  readonly behind: Value;
  /** The number of this search, for the threads that help it. */
  search(): number;
  /** For another thread that cannot go on. */
  broken(): void;
  /** The end of their help; false if one does not answer. */
  dismiss(): boolean;
  current(): number;
  depth(): number;
  expansions(): number;
  flushEdges(): void;
}

/** The part of Node that is used; a browser has none. */
const { process: node } = globalThis as { readonly process?: NodeJS.Process };
/** Structural: a declaration that named the module would need the types of Node in a browser. */
interface Workers {
  readonly Worker: new (
    source: string,
    options: { readonly eval: true; readonly workerData: unknown },
  ) => { on(event: 'error', listener: () => void): unknown; unref(): void };
}
export const workers: Workers | undefined = node?.getBuiltinModule?.('node:worker_threads');
/** Whether threads may share a memory. A page could only if its server allows it. */
const mayShare = workers !== undefined && 'SharedArrayBuffer' in globalThis;

let compiled: object | undefined;
/** The most pages that a memory of 32 bits has: 4 GiB. */
const maximum = 65_536;

/** The kernel, which is compiled once: some milliseconds, and without waiting, since searches are synchronous. */
export function kernelModule(): object {
  if (!compiled) {
    const bytes = Uint8Array.from(atob(binary), (character) => character.charCodeAt(0));
    if (!mayShare) bytes[sharedFlag] = 1;
    compiled = new WebAssembly.Module(bytes);
  }
  return compiled;
}

/** A new instance of the kernel, and its memory. */
export function kernelInstance(host: Host): {
  readonly calls: KernelExports;
  readonly memory: SearchMemory;
} {
  const memory = new WebAssembly.Memory({ initial: 2, maximum, shared: mayShare });
  const { exports: calls } = new WebAssembly.Instance(kernelModule(), { host, env: { memory } });
  return { calls, memory };
}
