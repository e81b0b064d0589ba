import type { DenseTable } from './dense-table.js';
import type { PairTable } from './pair-table.js';
import { breaks, firstOp, may, op, part, type TableKind, type Tables } from './tables.js';

/** Computes a missing table entry and enters it; −1 if this thread cannot. `of`: the node or channel. */
export type Lookup = (asked: TableKind, of: number, first: number, second: number) => number;

export interface Layout {
  readonly nodes: number;
  /** By channel, the number of the node at its end. */
  readonly receivers: readonly number[];
  /** Whether a crash may lose what the node sent last. */
  readonly unsent: boolean;
  /** In exact time: the number of the action by which a tick passes. */
  readonly tick?: number;
}

/** Called for each step. Returns whether its target is not yet expanded, as far as known; only read if the system `asks` (see Compiled). */
export type Visit = (action: number) => boolean;
/** Called for each action that fails; `step` identifies the error. */
export type Fault = (action: number, step: number) => void;

/** Expands a state by table look-ups only. A state is one number per node, one per channel, one for the environment. */
export class Expander {
  readonly width: number;
  readonly #environment: number;
  /** By node: the slots of the channels that end there. */
  readonly incoming: readonly (readonly number[])[];
  #state: Int32Array = new Int32Array(0);
  #into: Int32Array = new Int32Array(0);
  #visit: Visit = () => false;
  #fault: Fault = () => {};
  /** What the environment allows in the current state, and its list; 0 if it allows nothing. */
  #may = 0;
  #list = 0;

  constructor(
    private readonly tables: Tables,
    private readonly lookup: Lookup,
    private readonly layout: Layout,
  ) {
    const { nodes, receivers } = layout;
    this.#environment = nodes + receivers.length;
    this.width = this.#environment + 1;
    const incoming = Array.from({ length: nodes }, (): number[] => []);
    for (const [channel, receiver] of receivers.entries()) incoming[receiver]?.push(nodes + channel);
    this.incoming = incoming;
  }

  /**
   * Visits each successor of `state`, which is in `into` during the visit. False if a table lacks an entry; some successors may have been visited
   * then.
   */
  expand(state: Int32Array, into: Int32Array, visit: Visit, fault: Fault): boolean {
    this.#begin(state, into, visit, fault);
    const environment = state[this.#environment] as number;
    if (environment !== 0) {
      this.#list = this.#get('environment', this.tables.environment, 0, environment, 0);
      if (this.#list < 0) return false;
      this.#may = this.#number(this.#list + 1);
    }
    if (this.#may & may.choose) return this.#choose();
    for (let node = 0; node < this.layout.nodes; node++) if (!this.#expandNode(node)) return false;
    return ((this.#may & may.change) === 0 || this.#change()) && (this.layout.tick === undefined || this.#passTime(this.layout.tick));
  }

  /** Like {@link expand}, for the steps of one node, in a state where the environment does nothing. */
  expandNode(state: Int32Array, into: Int32Array, node: number, visit: Visit, fault: Fault): boolean {
    this.#begin(state, into, visit, fault);
    return this.#expandNode(node);
  }

  #begin(state: Int32Array, into: Int32Array, visit: Visit, fault: Fault): void {
    for (let slot = 0; slot < state.length; slot++) into[slot] = state[slot] as number;
    this.#state = state;
    this.#into = into;
    this.#visit = visit;
    this.#fault = fault;
    this.#may = this.#list = 0;
  }

  #expandNode(node: number): boolean {
    const { tables } = this;
    const state = this.#state;
    const place = state[node] as number;
    const own = tables.own[node] as DenseTable;
    let list = own.get(place);
    if (list < 0) list = this.lookup('own', node, place, 0);
    if (list < 0 || !this.#takeEach(list, node)) return false;
    const incoming = this.incoming[node] as readonly number[];
    for (let index = 0; index < incoming.length; index++) {
      const slot = incoming[index] as number;
      const content = state[slot] as number;
      if (content !== 0 && !this.#receive(node, place, slot, content)) return false;
    }
    return (this.#may & (may.crash | may.restart)) === 0 || this.#crashOrRestart(node, place);
  }

  /** The deliveries from one channel: of its head, or without order of each message. */
  #receive(node: number, place: number, slot: number, content: number): boolean {
    const { tables } = this;
    const channel = slot - this.layout.nodes;
    const delivery = tables.delivery[channel] as PairTable;
    let dequeues = tables.dequeues.get(content);
    if (dequeues < 0) dequeues = this.lookup('dequeues', 0, content, 0);
    if (dequeues < 0) return false;
    const end = dequeues + this.#number(dequeues);
    for (let entry = dequeues + 1; entry < end; entry += 2) {
      const message = this.#number(entry);
      const rest = this.#number(entry + 1);
      const isDue = this.layout.tick === undefined ? 1 : this.#get('isDue', this.tables.isDue, 0, message, 0);
      if (isDue < 0) return false;
      if (this.#may !== 0) {
        if (!this.#receiveOrLose(node, place, slot, content, message, rest, isDue === 1)) return false;
        continue;
      }
      if (isDue === 0) continue;
      let step = delivery.get(place, message);
      if (step < 0) step = this.lookup('delivery', channel, place, message);
      if (step < 0 || !this.#take(step, node, slot, rest)) return false;
    }
    return !this.layout.unsent || this.#loseUnsent(slot, content);
  }

  /** What crashes have lost of one channel. */
  #loseUnsent(slot: number, content: number): boolean {
    const channel = slot - this.layout.nodes;
    const list = this.#get('unsent', this.tables.unsent[channel], channel, content, 0);
    if (list < 0) return false;
    const end = list + this.#number(list);
    for (let entry = list + 1; entry < end; entry += 2)
      if (!this.#takeOnChannel(this.#number(entry), slot, this.#number(entry + 1), -1)) return false;
    return true;
  }

  #receiveOrLose(node: number, place: number, slot: number, content: number, message: number, rest: number, isDue: boolean): boolean {
    const { tables } = this;
    const channel = slot - this.layout.nodes;
    const isCut = this.#isCut(slot);
    const isCrashed = this.#get('crashed', tables.crashed[node], node, place, 0);
    if (isCrashed < 0) return false;
    if (!isCut && isDue) {
      const step = this.#get('delivery', tables.delivery[channel], channel, place, message);
      if (step < 0 || !this.#take(step, node, slot, rest)) return false;
    }
    const vanishes = isDue && (isCut || isCrashed === 1); // nothing is there to receive it
    if (vanishes ? isCut : this.#may & may.lose) {
      const drop = this.#get('drop', tables.drop[channel], channel, message, 0);
      if (drop < 0 || !this.#takeOnChannel(drop, slot, rest, vanishes ? -1 : op.loss)) return false;
    }
    if (isCut || (this.#may & may.duplicate) === 0) return true;
    const duplicate = this.#get('duplicate', tables.duplicate[channel], channel, message, 0);
    const duplicated = this.#get('duplicated', tables.duplicated, 0, content, message);
    return duplicate >= 0 && duplicated >= 0 && this.#takeOnChannel(duplicate, slot, duplicated, op.duplication);
  }

  /** A crash, or a restart. */
  #crashOrRestart(node: number, place: number): boolean {
    const isCrashed = this.#get('crashed', this.tables.crashed[node], node, place, 0);
    if (isCrashed < 0) return false;
    if ((this.#may & (isCrashed ? may.restart : may.crash)) === 0) return true;
    const mayCrash = isCrashed === 1 ? 1 : this.#get('mayCrash', this.tables.mayCrash[node], node, place, 0);
    if (mayCrash <= 0) return mayCrash === 0;
    const step = isCrashed
      ? this.#get('restart', this.tables.restart[node], node, place, 0)
      : this.#get('crash', this.tables.crash[node], node, place, 0);
    return step >= 0 && this.#take(step, node, -1, 0, isCrashed ? op.restart : op.crash);
  }

  /** The answers to the first open choice; no other action is possible before. */
  #choose(): boolean {
    const end = this.#list + this.#number(this.#list);
    const first = this.#list + 2 + this.layout.receivers.length;
    const node = this.#number(first);
    for (let index = first + 1; index <= end; index++) {
      const value = this.#number(index);
      const step = this.#get('answer', this.tables.answer[node], node, this.#state[node] as number, value);
      if (step < 0 || !this.#take(step, node, -1, 0, op.answer)) return false;
    }
    return true;
  }

  /** One tick, unless something is due now, or time changes nothing. */
  #passTime(tick: number): boolean {
    const later = this.later(this.#state, this.#into);
    if (later === 'changed') this.#visit(tick);
    for (let slot = 0; slot < this.#environment; slot++) this.#into[slot] = this.#state[slot] as number;
    return later !== 'unknown';
  }

  /** Writes `state` one tick later, if time can pass in it. `unknown` if a table lacks an entry. */
  later(state: Int32Array, into: Int32Array): 'changed' | 'unchanged' | 'due' | 'unknown' {
    const { nodes } = this.layout;
    let changed = false;
    for (let slot = 0; slot < this.#environment; slot++) {
      const now = state[slot] as number;
      const later =
        slot < nodes
          ? this.#get('nodeLater', this.tables.nodeLater[slot], slot, now, 0)
          : this.#get('contentLater', this.tables.contentLater, 0, now, 0);
      if (later <= 0) return later === 0 ? 'due' : 'unknown';
      into[slot] = later - 1;
      changed ||= later - 1 !== now;
    }
    return changed ? 'changed' : 'unchanged';
  }

  /** The actions that change the environment only: its list ends with pairs of action and next environment. */
  #change(): boolean {
    const end = this.#list + this.#number(this.#list);
    for (let index = this.#list + 2 + this.layout.receivers.length; index < end; index += 2) {
      this.#into[this.#environment] = this.#number(index + 1);
      this.#visit(this.#number(index));
    }
    this.#into[this.#environment] = this.#state[this.#environment] as number;
    return true;
  }

  #takeEach(list: number, node: number): boolean {
    const end = list + this.#number(list);
    for (let index = list + 1; index <= end; index++) if (!this.#take(this.#number(index), node, -1, 0)) return false;
    return true;
  }

  /** One step of `node`. It leaves `rest` in the channel of `slot`, if given; `happens` is its event of the environment, if any. */
  #take(step: number, node: number, slot: number, rest: number, happens = -1): boolean {
    const { code } = this.tables;
    const state = this.#state;
    const into = this.#into;
    const rare = code[step + part.rare] as number;
    if (rare === breaks) {
      this.#fault(code[step + part.action] as number, step);
      return true;
    }
    into[node] = code[step + part.place] as number;
    if (slot >= 0) into[slot] = rest;
    const end = code[step + part.end] as number;
    for (let send = step + part.sends; send < end; send += 2) {
      const to = code[send] as number;
      if (this.#isCut(to)) continue;
      const message = code[send + 1] as number;
      let content = this.tables.pushed.get(into[to] as number, message);
      if (content < 0) content = this.lookup('pushed', 0, into[to] as number, message);
      if (content < 0) return false;
      into[to] = content;
    }
    if (happens >= 0 && !this.#applyToEnvironment(happens)) return false;
    if (rare >= firstOp && !this.#applyToEnvironment(rare - firstOp)) return false;
    this.#visit(code[step + part.action] as number);
    into[node] = state[node] as number;
    if (slot >= 0) into[slot] = state[slot] as number;
    for (let send = step + part.sends; send < end; send += 2) into[code[send] as number] = state[code[send] as number] as number;
    into[this.#environment] = state[this.#environment] as number;
    return true;
  }

  /** An action of the environment on the channel of `slot`. */
  #takeOnChannel(action: number, slot: number, content: number, happens: number): boolean {
    if (happens >= 0 && !this.#applyToEnvironment(happens)) return false;
    this.#into[slot] = content;
    this.#visit(action);
    this.#into[slot] = this.#state[slot] as number;
    this.#into[this.#environment] = this.#state[this.#environment] as number;
    return true;
  }

  #applyToEnvironment(happens: number): boolean {
    const next = this.#get('after', this.tables.after, 0, this.#into[this.#environment] as number, happens);
    this.#into[this.#environment] = next;
    return next >= 0;
  }

  #get(asked: TableKind, table: DenseTable | PairTable | undefined, of: number, first: number, second: number): number {
    const found = table ? table.get(first, second) : -1;
    return found >= 0 ? found : this.lookup(asked, of, first, second);
  }

  #isCut(slot: number): boolean {
    return (this.#may & may.cut) !== 0 && this.#number(this.#list + 2 + slot - this.layout.nodes) === 1;
  }

  #number(offset: number): number {
    return this.tables.code[offset] as number;
  }
}
