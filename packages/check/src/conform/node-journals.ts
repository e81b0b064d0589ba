import {
  byPlan,
  differenceOf,
  inputAgain,
  roleOf,
  type Stimulus,
  stateText,
} from '@conclave/core/internal';
import {
  parseCall,
  parseValue,
  stateHash,
  stepText,
  timerName,
  valueText,
} from '@conclave/core/internal/trace';
import type { Json, LocalState, Message, NodeId, Step } from '@conclave/core/protocol';
import { ConclaveError, type Protocol, type Role } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import type { EventObject } from 'xstate';
import type { HostEffect } from '../worlds/world.js';
import { Mismatch } from './conformed.js';
import type { JournalHeader, JournalReader, JournalStep } from './journal-reader.js';

/** How the journal of an incarnation ended. `broken`: something in it could not be repeated. */
export type End = 'closed' | 'open' | 'broken';

/** An incarnation whose journal was read. */
export interface Ended {
  readonly reader: JournalReader;
  readonly incarnation: number;
  readonly steps: number;
  readonly end: End;
  /** By receiver: how many messages arrived that it has not sent, by what is left of it. */
  readonly beyond: Map<NodeId, number>;
  /** The place of its end among the events; undefined while nothing has to come after it. */
  event: number | undefined;
}

/** The journals of one node, in the order of its incarnations. */
export class NodeJournals {
  /** By incarnation. */
  readonly ended = new Map<number, Ended>();
  #current = 0;
  /** Whether the header of the present journal was taken. */
  hasBegun = false;
  isClosed = false;

  constructor(
    readonly place: number,
    readonly node: ReplayedNode,
    readonly readers: readonly JournalReader[],
    /**
     * By incarnation: those whose journal has no step. They were refused, or ended before they
     * started, or what they wrote is lost; either way the run has no node there.
     */
    readonly unstarted: ReadonlyMap<number, Ended>,
  ) {}

  /** The incarnation whose journal was read to its end. */
  endOf(incarnation: number): Ended | undefined {
    return this.ended.get(incarnation) ?? this.unstarted.get(incarnation);
  }

  /** All that were read, in their order. */
  get all(): readonly Ended[] {
    return [...this.ended.values(), ...this.unstarted.values()].sort(
      (a, b) => a.incarnation - b.incarnation,
    );
  }

  get id(): NodeId {
    return this.node.id;
  }

  /** The present journal; undefined at the end of all. */
  get reader(): JournalReader | undefined {
    return this.readers[this.#current];
  }

  /** The incarnation of the present journal. */
  get incarnation(): number {
    return this.reader?.header.incarnation ?? 0;
  }

  get isFirst(): boolean {
    return this.#current === 0;
  }

  has(incarnation: number): boolean {
    return this.readers.some(({ header }) => header.incarnation === incarnation);
  }

  /** The state at the end of the journal before, and whether that is its whole end. */
  last: { readonly state: LocalState; readonly isWhole: boolean } | undefined;

  /** Goes on to the next journal. */
  end(end: End): void {
    const { reader } = this;
    if (!reader) return;
    const { incarnation } = reader.header;
    this.ended.set(incarnation, ended(reader, this.node.steps, end));
    const { state } = this.node;
    this.last = state && end !== 'broken' ? { state, isWhole: end === 'closed' } : undefined;
    this.#current++;
    this.hasBegun = false;
    this.isClosed = false;
  }
}

/** The journals of a run, by the places of the nodes. */
export class RunJournals {
  readonly #places: ReadonlyMap<NodeId, number>;

  constructor(readonly all: readonly NodeJournals[]) {
    this.#places = new Map(all.map(({ id, place }) => [id, place]));
  }

  has(id: NodeId): boolean {
    return this.#places.has(id);
  }

  /** Of a node of the network. */
  of(id: NodeId): NodeJournals {
    return this.all[this.placeOf(id)] as NodeJournals; // a node of the network
  }

  placeOf(id: NodeId): number {
    return this.#places.get(id) ?? 0;
  }
}

const ended = (reader: JournalReader, steps: number, end: End): Ended => ({
  ...{ reader, incarnation: reader.header.incarnation, steps, end },
  beyond: new Map(),
  event: undefined,
});

/** The end of a journal without a step; undefined for one with steps, which stays as it is. */
export function unstarted(reader: JournalReader): Ended | undefined {
  const { peek } = reader;
  if (!peek) return ended(reader, 0, 'open');
  if (peek.kind !== 'remark' || peek.key !== 'closed' || peek.value !== '0') return undefined;
  reader.advance();
  return ended(reader, 0, reader.peek ? 'broken' : 'closed');
}

/** A step, repeated. */
export interface Repeated {
  readonly stimulus: Stimulus;
  readonly before: LocalState | undefined;
  readonly state: LocalState;
  readonly effects: readonly HostEffect[];
  /** Whether the step goes on in the next line: the node waits for the answer to a choice. */
  readonly isOpen: boolean;
}

/** Repeats the steps of one node as its journals tell them, and compares. */
export class ReplayedNode {
  readonly role: Role & { readonly name: string };
  /** Undefined before the first step of an incarnation. */
  state: LocalState | undefined;
  #header: JournalHeader | undefined;
  #steps = 0;
  /** By receiver: how many messages were sent to it. */
  #sent = new Map<NodeId, number>();
  /** Choices that have no answer yet; the ones to be answered first are at the end. */
  #choices: (readonly Json[])[] = [];

  constructor(
    readonly protocol: Protocol,
    readonly topology: Topology,
    readonly id: NodeId,
  ) {
    this.role = roleOf(protocol, id, topology);
  }

  get steps(): number {
    return this.#steps;
  }

  /** Whether the node waits for the answer to a choice. */
  get isOpen(): boolean {
    return this.#choices.length > 0;
  }

  /** The state after the first start, whatever the journals tell. */
  firstState(): LocalState {
    return byPlan.start(this.role.machine, this.id, this.role.input(this.id, this.topology)).state;
  }

  /** The stable fields of a state. */
  stableFields({ context }: LocalState): Readonly<Record<string, Json>> {
    const { stable = [] } = this.role;
    const only = inputAgain({}, context, stable);
    return only as Readonly<Record<string, Json>>; // an object of the stable fields
  }

  /**
   * The next incarnation.
   * @throws {Mismatch} `stable`, where the stable fields are not those of the last state, if that
   * is given.
   */
  begin(header: JournalHeader, last: LocalState | undefined): void {
    this.#header = header;
    this.state = undefined;
    this.#steps = 0;
    this.#sent = new Map();
    this.#choices = [];
    if (!last || !header.stable) return;
    const difference = differenceOf(this.stableFields(last), header.stable);
    if (difference === undefined) return;
    throw new Mismatch(
      'stable',
      `node ${this.id} restarts with other stable fields than it had: ${difference}`,
      'Was its storage changed or restored?',
    );
  }

  /** Repeats the step of a line. @throws {Mismatch} where the machine does something else. */
  take(line: JournalStep): Repeated {
    this.#requireNumbers(line);
    const before = this.state;
    const [stimulus, { state, effects }] = this.#attempt(() => this.#step(line));
    this.state = state;
    this.#steps++;
    const values = {
      node: this.id,
      stimulus,
      after: state.value,
      effects,
      ...(before && { before: before.value }),
    };
    const repeated = stepText(this.protocol, values);
    if (repeated !== line.readable)
      throw new Mismatch(
        'step',
        `the machine takes another step: '${repeated}' instead of '${line.readable}'`,
        versionCure,
      );
    this.#requireSends(line, effects);
    const timers = state.timers.map(({ id }) => id);
    if (stateHash(state.value, state.context, timers) !== line.state)
      throw new Mismatch(
        'state',
        `the state after the step was another: by the machine, ${stateText(state.value)} ${JSON.stringify(state.context)}`,
        'Was the context changed from outside, or is the code of an action another? See confirm of embed.',
      );
    return { stimulus, before, state, effects, isOpen: this.#choices.length > 0 };
  }

  /** Whether the present state takes a message. */
  handles(call: string, from: NodeId): boolean {
    if (!this.state) return false;
    const { machine } = this.role;
    return byPlan.takes(
      machine,
      this.state,
      { ...parseCall(this.protocol.messages, call), from } as EventObject,
      this.id,
    );
  }

  #requireNumbers({ node, incarnation, step }: JournalStep): void {
    if (node !== this.id)
      throw new Mismatch('line', `it is of node ${node}, in a journal of node ${this.id}`);
    if (incarnation !== this.#header?.incarnation)
      throw new Mismatch(
        'line',
        `it is of incarnation ${incarnation}, in a journal of incarnation ${this.#header?.incarnation}`,
      );
    if (step !== this.#steps + 1)
      throw new Mismatch(
        'numbers',
        `step ${step} follows step ${this.#steps} of node ${this.id}`,
        'Are lines missing, or in another order?',
      );
  }

  #requireSends({ sent }: JournalStep, effects: readonly HostEffect[]): void {
    const sends = effects.filter((effect) => effect.type === 'send');
    if (sends.length !== sent.length)
      throw new Mismatch(
        'numbers',
        `the step sends ${sends.length} messages and numbers ${sent.length}`,
      );
    for (const [index, { to }] of sends.entries()) {
      const number = (this.#sent.get(to) ?? 0) + 1;
      if (sent[index] !== number)
        throw new Mismatch(
          'numbers',
          `the message to ${to} has number ${sent[index]}, but is number ${number} on its link`,
        );
      this.#sent.set(to, number);
      if (!this.topology.link(this.id, to))
        throw new Mismatch('step', `it sends to ${to}, to which ${this.id} has no channel`);
    }
  }

  #attempt<T>(run: () => T): T {
    try {
      return run();
    } catch (error) {
      if (error instanceof Mismatch || !(error instanceof ConclaveError)) throw error;
      throw new Mismatch('step', `the machine does not take this step: ${error.what}`, versionCure);
    }
  }

  #step({ event }: JournalStep): readonly [Stimulus, Step] {
    const { id, state } = this;
    const { kind } = event;
    if (kind === 'start' || kind === 'restart') return this.#start(kind);
    if (!state)
      throw new Mismatch(
        'step',
        `the first step of a journal is a start, and not '${kind}'`,
        'Is its beginning missing?',
      );
    const options = this.#choices.pop();
    if (options && kind !== 'chosen')
      throw new Mismatch('step', `it chooses among ${options.map(valueText).join(', ')} first`);
    switch (kind) {
      case 'chosen': {
        const value = parseValue(event.value);
        if (!options?.some((option) => valueText(option) === valueText(value)))
          throw new Mismatch(
            'step',
            `'${event.value}' is none of ${options?.map(valueText).join(', ') ?? 'no options'}`,
          );
        return this.#taken(state, { type: 'chosen', value } as EventObject);
      }
      case 'command':
        return this.#taken(state, parseCall(this.protocol.commands, event.call));
      case 'deliver': {
        const { from } = event;
        if (!this.topology.has(from) || !this.topology.link(from, id))
          throw new Mismatch('step', `${from} has no channel to ${id}`);
        const received: Message & { readonly from: NodeId } = {
          ...parseCall(this.protocol.messages, event.call),
          from,
        };
        return this.#taken(state, received);
      }
      case 'timeout': {
        const armed = state.timers.find((timer) => timerName(timer.id) === event.timer);
        if (!armed)
          throw new Mismatch('step', `the timer '${event.timer}' is not armed`, versionCure);
        return this.#did(
          { kind: 'timeout', timer: armed.id },
          byPlan.fire(this.role.machine, id, state, armed.id),
        );
      }
      default:
        throw new Mismatch('line', `'${kind}' is no step of a node`);
    }
  }

  #start(kind: 'start' | 'restart'): readonly [Stimulus, Step] {
    const { machine, input, stable = [] } = this.role;
    const fields = this.#header?.stable;
    if (this.state) throw new Mismatch('step', `'${kind}' is not the first step of its journal`);
    if ((kind === 'restart') !== (fields !== undefined))
      throw new Mismatch(
        'step',
        `'${kind}' in a journal whose header ${fields ? 'has' : 'has no'} stable fields`,
      );
    const first = input(this.id, this.topology);
    const given = fields ? inputAgain(first, fields, stable) : first;
    return this.#did({ kind }, byPlan.start(machine, this.id, given));
  }

  #taken(state: LocalState, event: EventObject): readonly [Stimulus, Step] {
    return this.#did(
      { kind: 'event', event },
      byPlan.step(this.role.machine, this.id, state, event),
    );
  }

  #did(stimulus: Stimulus, taken: Step): readonly [Stimulus, Step] {
    const asked = taken.effects.flatMap((effect) =>
      effect.type === 'choose' ? [effect.options] : [],
    );
    this.#choices.push(...asked.reverse());
    return [stimulus, taken];
  }
}

const versionCure = 'Was it written by this version of the protocol? Was the journal changed?';
