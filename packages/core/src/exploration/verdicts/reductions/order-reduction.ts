import type { ConclaveError } from '../../../base/error.js';
import type { NodeView } from '../../../protocol/property.js';
import type { Fault, Visit } from '../../search/kernel/kernel.js';
import type { CompiledWorlds } from '../../search/tables/compiled-worlds.js';
import type { NodeConfiguration } from '../../search/tables/configuration-table.js';
import { Interner } from '../../search/tables/interner.js';
import type { System } from '../../search/traversal/system.js';
import { nodeViewOf } from '../../worlds/view.js';
import { Independence } from './independence.js';
import type { Reads } from './reads.js';

/** A channel to a node. */
interface Incoming {
  readonly slot: number;
  readonly sender: number;
}

/**
 * A partial-order reduction (docs/decisions/7): if some steps of one node do not depend on other
 * actions, and are invisible to all properties, only these steps are taken.
 *
 * The reduced system keeps every quiescent world, every action that fails, and for each world one
 * that is equal as far as the properties look. It does not keep every run: liveness cannot be
 * judged on it.
 */
export class OrderReduction implements System {
  /** It reads whether a successor is not yet expanded. */
  readonly asks = true;
  readonly width: number;
  readonly #isUntimed: boolean;
  readonly #isFifo: boolean;
  readonly #nodes: number;
  /** By node: the channels that end there. */
  readonly #incoming: readonly (readonly Incoming[])[];
  /** How many parts the properties had read when the following was computed. */
  #size = -1;
  #project: (node: NodeView) => string = () => '';
  readonly #classes = new Interner<string>();
  /** By node and configuration: its class; properties do not distinguish members of a class. */
  #classOf: readonly number[][] = [];
  #independence: readonly Independence[] = [];
  /** By node: the numbers of its configurations and actions in `#independence`. */
  #placeOf: readonly number[][] = [];
  #actionOf: readonly number[][] = [];
  /** The steps of one node in the current state. */
  readonly #next: number[] = [];

  /**
   * `assumes`: whether it may rely on what the search has seen so far. Then free steps are taken
   * alone as well, and each world itself must be expanded, not a representative. Without it only
   * settled nodes go first, which reduces less.
   */
  constructor(
    private readonly compiled: CompiledWorlds,
    private readonly reads: Reads,
    private readonly assumes: boolean,
  ) {
    const { topology, order, clockwork } = compiled.worlds;
    this.width = compiled.width;
    this.#isUntimed = clockwork === undefined;
    this.#isFifo = order === 'fifo';
    this.#nodes = topology.nodes.length;
    this.#incoming = topology.nodes.map((id) =>
      topology.links.flatMap(({ from, to }, channel) =>
        to === id ? [{ slot: this.#nodes + channel, sender: topology.nodes.indexOf(from) }] : [],
      ),
    );
  }

  /** Whether the search has to be repeated: properties have read more than it took into account. */
  get isInvalidated(): boolean {
    return this.reads.size > this.#size;
  }

  /**
   * Repeats the search until all its assumptions are true. Violations that a search finds are real
   * in any case.
   */
  settle<T extends { readonly search: { readonly complete: boolean } }>(search: () => T): T {
    for (;;) {
      this.#begin();
      const found = search();
      if (this.isInvalidated) continue;
      const holds = this.#independence.map((node) => node.hold());
      if (!found.search.complete || !holds.includes(false)) return found;
    }
  }

  initial(into: Int32Array): void {
    this.compiled.initial(into);
  }

  errorOf(step: number): ConclaveError {
    return this.compiled.errorOf(step);
  }

  fairness(action: number): number {
    return this.compiled.fairness(action);
  }

  expand(state: Int32Array, into: Int32Array, visit: Visit, fault: Fault): void {
    if (!this.#isUntimed || this.reads.inFlight) this.compiled.expand(state, into, visit, fault);
    else if (state[this.width - 1] !== 0 || this.compiled.layout.unsent)
      this.#expandAll(state, into, visit, fault);
    else this.#expandSome(state, into, visit, fault);
  }

  #begin(): void {
    if (this.#size === this.reads.size) return;
    const { topology } = this.compiled.worlds;
    this.#size = this.reads.size;
    this.#project = this.reads.projection();
    const perNode = () => topology.nodes.map((): number[] => []);
    this.#classOf = perNode();
    this.#placeOf = perNode();
    this.#actionOf = perNode();
    this.#independence = topology.nodes.map(
      (id, node) =>
        new Independence(
          this.compiled.worlds,
          id,
          (one, other) => this.#look(node, one) !== this.#look(node, other),
        ),
    );
  }

  /** Expands a state in which the environment may act. */
  #expandAll(state: Int32Array, into: Int32Array, visit: Visit, fault: Fault): void {
    this.compiled.expand(
      state,
      into,
      (action) => {
        this.#see(state, action);
        return visit(action);
      },
      (action, step) => {
        this.#see(state, action);
        fault(action, step);
      },
    );
  }

  #expandSome(state: Int32Array, into: Int32Array, visit: Visit, fault: Fault): void {
    const { kernel } = this.compiled;
    // A step of the node must lead to an unexpanded world: otherwise a cycle could ignore the other
    // nodes forever (cycle proviso).
    let goesOn = false;
    let only = -1;
    const visitOnly: Visit = (action) => {
      if (only >= 0 && action !== only) return false;
      const isWaiting = visit(action);
      goesOn ||= isWaiting;
      return isWaiting;
    };
    const settled: number[] = [];
    for (let node = 0; node < this.#nodes; node++) {
      const isQuiet = this.#peek(state, into, node);
      only = this.#freeStep(state, node);
      if (only >= 0) kernel.expandNode(state, into, node, visitOnly, fault);
      else if (isQuiet && this.#isSettled(state, node)) settled.push(node);
      if (goesOn) return;
    }
    only = -1;
    for (const node of settled) {
      kernel.expandNode(state, into, node, visitOnly, fault);
      if (goesOn) return;
    }
    this.compiled.expand(state, into, visit, fault);
  }

  /** Notes the next steps of a node. True if there are some, all invisible and without choices. */
  #peek(state: Int32Array, into: Int32Array, node: number): boolean {
    const before = this.#class(state, node);
    const next = this.#next;
    next.length = 0;
    let isQuiet = true;
    this.compiled.kernel.expandNode(
      state,
      into,
      node,
      (action) => {
        next.push(action);
        this.#see(state, action, node);
        isQuiet &&= into[this.width - 1] === 0 && this.#class(into, node) === before;
        return false;
      },
      (action) => {
        this.#see(state, action, node); // reported when the step is taken with the others
      },
    );
    return isQuiet && next.length > 0;
  }

  /** The first of the noted steps that is free. */
  #freeStep(state: Int32Array, node: number): number {
    if (!this.assumes || this.#isCrashed(state, node)) return -1;
    const independence = this.#independence[node] as Independence;
    return (
      this.#next.find((action) =>
        independence.isFree(this.#place(state, node), this.#action(node, action)),
      ) ?? -1
    );
  }

  /** Whether no action of other nodes can change the next steps of a node. */
  #isSettled(state: Int32Array, node: number): boolean {
    if (this.#isCrashed(state, node)) return true; // each message to it is lost, independently
    const incoming = this.#incoming[node] as readonly Incoming[];
    return (
      this.#isFifo &&
      incoming.every(({ slot, sender }) => state[slot] !== 0 || this.#isCrashed(state, sender))
    );
  }

  #see(state: Int32Array, action: number, node = this.#actor(action)): void {
    if (!this.assumes || node < 0 || this.#isCrashed(state, node)) return;
    this.#independence[node]?.see(this.#place(state, node), this.#action(node, action));
  }

  /** The node that takes an action; −1 for one of the environment. */
  #actor(number: number): number {
    const action = this.compiled.actionOf(number);
    const { nodes } = this.compiled.worlds.topology;
    if (action.type === 'deliver') return nodes.indexOf(action.to);
    return action.type === 'command' || action.type === 'timeout' || action.type === 'choose'
      ? nodes.indexOf(action.node)
      : -1;
  }

  #isCrashed(state: Int32Array, node: number): boolean {
    return this.compiled.encoding.configurationOf(state, node).crashed;
  }

  #place(state: Int32Array, node: number): number {
    const places = this.#placeOf[node] as number[];
    const number = state[node] as number;
    places[number] ??= (this.#independence[node] as Independence).configuration(
      this.compiled.encoding.configurationOf(state, node),
    );
    return places[number];
  }

  #action(node: number, number: number): number {
    const actions = this.#actionOf[node] as number[];
    actions[number] ??= (this.#independence[node] as Independence).action(
      this.compiled.actionOf(number),
    );
    return actions[number];
  }

  #class(vector: Int32Array, node: number): number {
    const classes = this.#classOf[node] as number[];
    const number = vector[node] as number;
    classes[number] ??= this.#look(node, this.compiled.encoding.configurationOf(vector, node));
    return classes[number];
  }

  #look(node: number, { state, crashed }: NodeConfiguration): number {
    const { topology, protocol } = this.compiled.worlds;
    const id = topology.nodes[node] as NodeView['id'];
    const text = this.#project(nodeViewOf(protocol, topology, id, state, crashed));
    return this.#classes.id(text, () => text);
  }
}
