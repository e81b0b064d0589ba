import type { Layout } from '../compiled/expander.js';
import type { TableKind } from '../compiled/tables.js';
import { KernelMemory } from './kernel-memory.js';
import * as layout from './layout.js';

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
  readonly memory: KernelMemory;
  listener: KernelListener | undefined;
  /** The bytes of one memory for worlds; further ones go to another memory. */
  mostBytes = layout.mostWorldBytes;
  readonly #system: Tabled;
  /** How much of the code it has. */
  #known = 1;

  constructor(system: Tabled) {
    this.#system = system;
    const { nodes, receivers, tick = -1, unsent } = system.layout;
    const listener = () => this.listener as KernelListener; // set before a search begins
    this.memory = new KernelMemory({
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
        const { memory } = this;
        const { targets, actions, degrees } = memory.calls;
        listener().takeEdges(
          first,
          memory.view(degrees.value, worlds),
          memory.view(targets.value, count),
          memory.view(actions.value, count),
        );
      },
    });
    const { calls } = this.memory;
    calls.prepareTables(nodes, receivers.length);
    const list = calls.allocate(4 * receivers.length);
    this.memory.view(list, receivers.length).set(receivers);
    calls.prepareExpansion(nodes, receivers.length, tick, unsent, list);
    this.#copyCode();
  }

  #copyCode(): void {
    const { code, end } = this.#system.tables;
    if (end === this.#known) return;
    const address = this.memory.calls.reserveCode(end);
    this.memory.view(address, end).set(code.subarray(this.#known, end), this.#known);
    this.#known = end;
  }
}
