/**
 * The kernel of the search, and what it shares with JavaScript. The kernel (packages/check/kernel)
 * knows no protocol: it expands vectors of numbers by tables, and asks for an entry when it needs
 * it first. The steps of the nodes are in the code: their addresses are the entries of the tables.
 */
import { contentClass, nodeClass } from './format/classes.js';
import * as record from './format/record.js';
import { mostWorldBytes, unchanged } from './format/search.js';
import type * as tables from './format/tables.js';
import { KernelMemory } from './kernel-memory.js';

/** Called for each step. */
export type Visit = (action: number) => void;
/** Called for each action that fails; `step` identifies the error. */
export type Fault = (action: number, step: number) => void;

/** The number of a table that the kernel fills, by asking for missing entries. */
export type Table = (typeof tables)[keyof typeof tables];

/** What the kernel has to know of a system before the first step. */
export interface Layout {
  readonly nodes: number;
  /** By channel, the number of the node at its end. */
  readonly receivers: readonly number[];
  /** By channel, the number of the node that sends on it. */
  readonly senders: readonly number[];
  /** The channels within one process: what is on them is taken first. */
  readonly inProcess: readonly number[];
  /** Whether crashes fall into steps as well. */
  readonly crashesInside: boolean;
  /** Whether a crash may also lose what the node sent before. */
  readonly unsent: boolean;
  /** In exact time: the number of the action by which a tick passes. */
  readonly tick?: number;
}

/** The system that a kernel searches. */
interface Tabled {
  readonly layout: Layout;
  readonly code: Code;
  /** The entry of a table, which the kernel asks for once. */
  entry(table: Table, of: number, first: number, second: number): number;
}

/** Called during a search. */
interface KernelListener {
  found(world: number): boolean;
  ended(world: number): boolean;
  fault(action: number, step: number): boolean;
  /**
   * The edges of `degrees.length` worlds from `first` on, in their order. The arrays are valid
   * during the call only.
   */
  takeEdges(first: number, degrees: Int32Array, targets: Int32Array, actions: Int32Array): void;
  /**
   * The class of a configuration of a node, or of a content: what the properties can tell apart.
   */
  nodeClass(node: number, configuration: number): number;
  contentClass(content: number): number;
}

/**
 * The kernel with the tables of a system in its memory: WebAssembly, which has its sources in
 * packages/check/kernel.
 */
export class Kernel {
  readonly memory: KernelMemory;
  listener: KernelListener | undefined;
  /** The bytes of one memory for worlds; further ones go to another memory. */
  mostBytes = mostWorldBytes;
  readonly #system: Tabled;
  /** How much of the code it has. */
  #known = 1;
  /** The address of the world to expand, and the numbers of a record. */
  readonly #state: number;
  readonly #recordLength: number;
  /** Copies of records that are not in use. */
  readonly #records: Int32Array[] = [];

  constructor(system: Tabled) {
    this.#system = system;
    const {
      nodes,
      receivers,
      senders,
      inProcess,
      tick = -1,
      crashesInside,
      unsent,
    } = system.layout;
    const listener = () => this.listener as KernelListener; // set before a search begins
    this.memory = new KernelMemory({
      lookup: (table, owner, first, second) => {
        if (table === nodeClass) return listener().nodeClass(owner, first);
        if (table === contentClass) return listener().contentClass(first);
        const value = system.entry(table as Table, owner, first, second);
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
    const width = nodes + receivers.length + 1;
    calls.prepareWorlds(width, this.mostBytes);
    calls.preparePending(width);
    calls.prepareTables(nodes, receivers.length);
    const ends = [...receivers, ...senders, inProcess.length, ...inProcess];
    const list = calls.allocate(4 * ends.length);
    this.memory.view(list, ends.length).set(ends);
    calls.prepareExpansion(nodes, receivers.length, tick, crashesInside, unsent, list);
    this.#copyCode();
    this.#state = calls.state.value;
    this.#recordLength = calls.recordBytes.value / 4;
  }

  /** Visits each successor of `state`, which is in `into` during the visit. */
  expand(state: Int32Array, into: Int32Array, visit: Visit, fault: Fault): void {
    const { memory } = this;
    memory.write(this.#state, state);
    const length = memory.calls.collect() / 4;
    // A copy: a visit may expand another state.
    let records = this.#records.pop() ?? new Int32Array(1024);
    if (records.length < length) records = new Int32Array(2 * length);
    memory.copy(memory.calls.records.value, length, records);
    for (let at = 0; at < length; at += this.#recordLength) {
      const action = records[at + record.action] as number;
      const kind = records[at + record.kind] as number;
      if (kind === record.fails) {
        fault(action, records[at + record.source] as number);
        continue;
      }
      const world = at + record.world;
      if (kind === 0)
        for (let slot = 0; slot < into.length; slot++)
          into[slot] = ((records[world + (slot >> 1)] as number) >>> (16 * (slot & 1))) & 0xffff;
      else
        for (let slot = 0; slot < into.length; slot++) into[slot] = records[world + slot] as number;
      visit(action);
    }
    this.#records.push(records);
  }

  /** Whether time runs in a state: it changes the state, or something is due. */
  runs(state: Int32Array): boolean {
    const { memory } = this;
    memory.write(this.#state, state);
    return memory.calls.later() !== unchanged;
  }

  /** The entry of a table with one key; −1 if it is missing. */
  known(table: Table, owner: number, key: number): number {
    return this.memory.calls.known(table, owner, key);
  }

  #copyCode(): void {
    const { numbers, end } = this.#system.code;
    if (end === this.#known) return;
    const address = this.memory.calls.reserveCode(end);
    this.memory.view(address, end).set(numbers.subarray(this.#known, end), this.#known);
    this.#known = end;
  }
}

/**
 * Steps and lists as numbers, one after the other. A list is its length, then its items; for a step
 * see format/step.ts.
 */
export class Code {
  numbers = new Int32Array(1024);
  /** No list or step begins at 0. */
  end = 1;

  /** Appends numbers; returns where they begin. */
  write(numbers: readonly number[]): number {
    const start = this.end;
    this.end += numbers.length;
    this.#reserve(this.end);
    this.numbers.set(numbers, start);
    return start;
  }

  writeList(numbers: readonly number[]): number {
    return this.write([numbers.length, ...numbers]);
  }

  #reserve(length: number): void {
    let room = this.numbers.length;
    if (length <= room) return;
    while (room < length) room *= 2;
    const wider = new Int32Array(room);
    wider.set(this.numbers);
    this.numbers = wider;
  }
}
