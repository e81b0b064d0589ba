import { binary } from './binary.js';

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

/** What the kernel calls: packages/core/kernel/host.ts. */
export interface Host {
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

/** What it exports: packages/core/kernel/index.ts. Addresses are signed here. */
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
export function kernelInstance(host: Host): KernelExports {
  compiled ??= new WebAssembly.Module(
    Uint8Array.from(atob(binary), (character) => character.charCodeAt(0)),
  );
  return new WebAssembly.Instance(compiled, { host }).exports;
}
