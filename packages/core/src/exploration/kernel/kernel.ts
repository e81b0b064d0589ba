import type { Layout } from '../compiled/expander.js';
import type { TableKind } from '../compiled/tables.js';
import { LimitReached } from '../search/watch.js';
import * as layout from './layout.js';
import { type KernelExports, kernelInstance } from './web-assembly.js';

/** By number: the kinds of tables that a system answers. */
const kinds: readonly TableKind[] = [
  'own',
  'nodeLater',
  'contentLater',
  'isDue',
  'crash',
  'restart',
  'crashed',
  'mayCrash',
  'answer',
  'delivery',
  'drop',
  'duplicate',
  'pushed',
  'duplicated',
  'dequeues',
  'unsent',
  'environment',
  'after',
];

/** The system that a kernel searches. */
export interface Tabled {
  readonly layout: Layout;
  /** Steps and lists as numbers; `end`: where they end. */
  readonly tables: { readonly code: Int32Array; readonly end: number };
  /** The entry of a table, which is computed if it is missing. */
  entry(kind: TableKind, of: number, first: number, second: number): number;
}

/** Called during a search. */
export interface KernelListener {
  found(world: number): boolean;
  ended(world: number): boolean;
  fault(action: number, step: number): boolean;
  /** The edges of `degrees.length` worlds from `first` on, in their order. The arrays are valid during the call only. */
  takeEdges(first: number, degrees: Int32Array, targets: Int32Array, actions: Int32Array): void;
  /** The class of a configuration of a node, or of a content: what the properties can tell apart. */
  nodeClass(node: number, configuration: number): number;
  contentClass(content: number): number;
}

/** The kernel with the tables of a system in its memory: WebAssembly, which has its sources in packages/core/kernel. */
export class Kernel {
  readonly calls: KernelExports;
  listener: KernelListener | undefined;
  readonly #system: Tabled;
  /** The memory; views of another buffer once it has grown. */
  words: Int32Array = new Int32Array(0);
  halves: Uint16Array = new Uint16Array(0);
  /** How much of the code it has. */
  #known = 1;

  constructor(system: Tabled) {
    this.#system = system;
    const { nodes, receivers, tick = -1, unsent } = system.layout;
    const listener = () => this.listener as KernelListener; // set before a search begins
    this.calls = kernelInstance({
      lookup: (kind, owner, first, second) => {
        if (kind === layout.nodeClass) return listener().nodeClass(owner, first);
        if (kind === layout.contentClass) return listener().contentClass(first);
        const value = system.entry(kinds[kind] as TableKind, owner, first, second);
        this.#copyCode();
        return value;
      },
      found: (world) => listener().found(world),
      ended: (world) => listener().ended(world),
      fault: (action, step) => listener().fault(action, step),
      takeEdges: (count, first, worlds) => {
        const { targets, actions, degrees } = this.calls;
        listener().takeEdges(first, this.view(degrees.value, worlds), this.view(targets.value, count), this.view(actions.value, count));
      },
      full: () => {
        throw new LimitReached('memory');
      },
    });
    this.calls.prepareTables(nodes, receivers.length);
    const list = this.calls.allocate(4 * receivers.length);
    this.view(list, receivers.length).set(receivers);
    this.calls.prepareExpansion(nodes, receivers.length, tick, unsent, list);
    this.#copyCode();
  }

  /** Bytes in use. */
  get bytes(): number {
    return this.calls.bytes() >>> 0;
  }

  /** `length` numbers of 32 bits from `address` on; valid until the memory grows. */
  view(address: number, length: number): Int32Array {
    this.refresh();
    const from = address >>> 2;
    return this.words.subarray(from, from + length);
  }

  /** Renews the views if the memory has grown. */
  refresh(): void {
    const { buffer } = this.calls.memory;
    if (buffer === this.words.buffer) return;
    this.words = new Int32Array(buffer);
    this.halves = new Uint16Array(buffer);
  }

  #copyCode(): void {
    const { code, end } = this.#system.tables;
    if (end === this.#known) return;
    const address = this.calls.reserveCode(end);
    this.view(address, end).set(code.subarray(this.#known, end), this.#known);
    this.#known = end;
  }
}
