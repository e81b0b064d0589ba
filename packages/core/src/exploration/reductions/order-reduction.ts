import type { ConclaveError } from '../../protocol/error.js';
import type { NodeView } from '../../protocol/property.js';
import type { CompiledWorlds } from '../compiled/compiled.js';
import type { NodeConfiguration } from '../compiled/configuration-table.js';
import type { Fault, Visit } from '../compiled/expander.js';
import { Interner } from '../compiled/interner.js';
import type { Compiled } from '../compiled/system.js';
import { nodeViewOf } from '../worlds/view.js';
import { Independence } from './independence.js';
import type { Reads } from './reads.js';

/** A channel to a node. */
interface Incoming {
  readonly slot: number;
  readonly sender: number;
}

/**
 * A system of worlds without interleavings that differ from others in the order of independent steps only (docs/decisions/7): where some
 * steps of one node do not depend on what else can happen, and no property sees them, nothing but these steps is taken.
 *
 * What is left has, of the full system, every world in which nothing can happen, every step that breaks the rules, and for each world one
 * that is the same as far as the properties have looked. It does not have every run: liveness cannot be judged on it.
 */
export class OrderReduction implements Compiled {
  /** It goes by which states are still to be expanded. */
  readonly asks = true;
  readonly width: number;
  readonly #isUntimed: boolean;
  readonly #isFifo: boolean;
  readonly #nodes: number;
  /** By node: the channels that end there. */
  readonly #incoming: readonly (readonly Incoming[])[];
  /** How much the properties had looked at when the following was made. */
  #size = -1;
  #project: (node: NodeView) => string = () => '';
  readonly #classes = new Interner<string>();
  /** By node and place: what properties can tell apart. */
  #classOf: readonly number[][] = [];
  #independence: readonly Independence[] = [];
  /** By node: its places and actions as `#independence` counts them. */
  #placeOf: readonly number[][] = [];
  #actionOf: readonly number[][] = [];
  /** The steps of one node in the state at hand. */
  readonly #next: number[] = [];

  /**
   * `assumes`: whether it may lean on what is seen in the search. Then local steps are left out, too; and each world must be expanded by itself,
   * not by one that is symmetrical to it. Without it only settled nodes go first, and more worlds are left.
   */
  constructor(
    private readonly compiled: CompiledWorlds,
    private readonly reads: Reads,
    private readonly assumes: boolean,
  ) {
    const { topology, order, timing } = compiled.worlds;
    this.width = compiled.width;
    this.#isUntimed = timing.kind === 'untimed';
    this.#isFifo = order === 'fifo';
    this.#nodes = topology.nodes.length;
    this.#incoming = topology.nodes.map((id) =>
      topology.links.flatMap(({ from, to }, channel) =>
        to === id ? [{ slot: this.#nodes + channel, sender: topology.nodes.indexOf(from) }] : [],
      ),
    );
  }

  /** Whether the search that is going on has to be done again: properties look at more than it took into account. */
  get isInvalidated(): boolean {
    return this.reads.size > this.#size;
  }

  /** Searches again and again, until nothing that was left out rests on a mistake. What a search has found is true in any case. */
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
    else if (state[this.width - 1] !== 0) this.#expandAll(state, into, visit, fault);
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
      (id, node) => new Independence(this.compiled.worlds, id, (one, other) => this.#look(node, one) !== this.#look(node, other)),
    );
  }

  /** Where the environment has its say. */
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
    const { expander } = this.compiled;
    // A step of the one node must lead to a world that is still to be expanded, or in a circle of worlds the others might be forgotten for ever.
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
      if (only >= 0) expander.expandNode(state, into, node, visitOnly, fault);
      else if (isQuiet && this.#isSettled(state, node)) settled.push(node);
      if (goesOn) return;
    }
    only = -1;
    for (const node of settled) {
      expander.expandNode(state, into, node, visitOnly, fault);
      if (goesOn) return;
    }
    this.compiled.expand(state, into, visit, fault);
  }

  /** Notes the next steps of a node; whether it has some, and none asks for a choice or is seen by a property. */
  #peek(state: Int32Array, into: Int32Array, node: number): boolean {
    const before = this.#class(state, node);
    const next = this.#next;
    next.length = 0;
    let isQuiet = true;
    this.compiled.expander.expandNode(
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
        this.#see(state, action, node); // told when the step is taken with the others
      },
    );
    return isQuiet && next.length > 0;
  }

  /** The first of the noted steps that is free. */
  #freeStep(state: Int32Array, node: number): number {
    if (!this.assumes || this.#isCrashed(state, node)) return -1;
    const independence = this.#independence[node] as Independence;
    return this.#next.find((action) => independence.isFree(this.#place(state, node), this.#action(node, action))) ?? -1;
  }

  /** Whether the next steps of a node stay the same, whatever the others do before it. */
  #isSettled(state: Int32Array, node: number): boolean {
    if (this.#isCrashed(state, node)) return true; // what comes to it is gone, each message by itself
    const incoming = this.#incoming[node] as readonly Incoming[];
    return this.#isFifo && incoming.every(({ slot, sender }) => state[slot] !== 0 || this.#isCrashed(state, sender));
  }

  #see(state: Int32Array, action: number, node = this.#actor(action)): void {
    if (!this.assumes || node < 0 || this.#isCrashed(state, node)) return;
    this.#independence[node]?.see(this.#place(state, node), this.#action(node, action));
  }

  /** Whose step an action is; −1 for one of the environment. */
  #actor(number: number): number {
    const action = this.compiled.actionOf(number);
    const { nodes } = this.compiled.worlds.topology;
    if (action.type === 'deliver') return nodes.indexOf(action.to);
    return action.type === 'command' || action.type === 'timeout' || action.type === 'choose' ? nodes.indexOf(action.node) : -1;
  }

  #isCrashed(state: Int32Array, node: number): boolean {
    return this.compiled.encoding.configurationOf(state, node).crashed;
  }

  #place(state: Int32Array, node: number): number {
    const places = this.#placeOf[node] as number[];
    const number = state[node] as number;
    places[number] ??= (this.#independence[node] as Independence).configuration(this.compiled.encoding.configurationOf(state, node));
    return places[number];
  }

  #action(node: number, number: number): number {
    const actions = this.#actionOf[node] as number[];
    actions[number] ??= (this.#independence[node] as Independence).action(this.compiled.actionOf(number));
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
