/**
 * A turn of the event loop: the steps of a node in it share one write to stable storage, and what
 * they send, tell and journal waits for that write.
 */

import { BehaviorSubject, type Observable, Subject } from 'rxjs';
import type { StateValue } from 'xstate';
import { badInput, ConclaveError, printError } from '../base/error.js';
import {
  type LiveNode,
  type Moment,
  momentOf,
  type StateBefore,
  valueBefore,
} from '../protocol/compiled/compiled-node.js';
import { largestCounter, largestStored, reach } from '../protocol/counters.js';
import type { Message, NodeId, Received, Stimulus } from '../protocol/node.js';
import type { NodeView } from '../protocol/property.js';
import { type Protocol, roleOf } from '../protocol/protocol.js';
import { requireSend } from '../protocol/sends.js';
import type { HostEffect } from '../protocol/step.js';
import type { Topology } from '../topology/topology.js';
import { cannotSend, textOf } from './embed-errors.js';
import { type JournalWriter, withoutLabel } from './journal.js';
import { Repeats } from './repeats.js';
import type { StoredNode } from './stored-node.js';
import { checked, type Incoming, isMessage, type Transport } from './transport.js';

/** What a node did in a step. */
interface Taken {
  readonly stimulus: Stimulus;
  /** Of the message that it received. */
  readonly label: string | undefined;
  readonly before: StateBefore | undefined;
  readonly effects: readonly HostEffect[];
}

/**
 * What the steps of one turn of the event loop tell and send. It waits until what they promise is
 * on stable storage, which takes one write for all of them.
 */
export class Turn {
  journal: JournalWriter | undefined;
  /** Whether a message of a step is lost that its transport promised to deliver. */
  isBroken = false;
  #waiting: (() => void)[] = [];

  /** @param commit writes what the steps of the turn have staged */
  constructor(
    private readonly observers: Observers,
    private readonly channels: NodeChannels,
    private readonly commit: () => void,
  ) {}

  /** Whether something waits: what comes after it has to wait, too. */
  get isOpen(): boolean {
    return this.#waiting.length > 0;
  }

  /**
   * @param isStaged whether the step has to wait
   * @returns whether it is the first one that waits: then the end of the turn has to be arranged
   */
  stepped(node: LiveNode, taken: Taken, isStaged: boolean): boolean {
    if (!isStaged && !this.isOpen) {
      this.#tell(node, taken, (error, to) => this.observers.report(error, to));
      return false;
    }
    const moment = momentOf(node);
    // the transport may be closed meanwhile: to the others it was closed before the step
    const report = (error: ConclaveError, to: NodeId) =>
      error.code === 'closed' || this.observers.report(error, to);
    return this.#waiting.push(() => this.#tell(moment, taken, report)) === 1;
  }

  /** Writes to the journal now, or after what waits. */
  note(write: (journal: JournalWriter) => void): void {
    const { journal } = this;
    if (!journal) return;
    if (this.isOpen) this.#waiting.push(() => write(journal));
    else write(journal);
  }

  /** @throws what `commit` throws: then nothing is told. */
  end(): void {
    const waiting = this.#waiting;
    if (waiting.length === 0) return;
    this.#waiting = [];
    this.commit();
    for (const tell of waiting) tell();
  }

  #tell(
    moment: Moment,
    { stimulus, label, before, effects }: Taken,
    report: (error: ConclaveError, to: NodeId) => void,
  ): void {
    const { observers } = this;
    const labelled = this.journal?.step(moment, {
      stimulus,
      label,
      before: before && valueBefore(before),
      effects,
    });
    // First what the machine tells, since it may be the reason for the new state.
    for (const effect of effects)
      if (effect.type === 'notify') observers.notify(effect.notification);
    observers.stepped(moment);
    const lost = this.channels.send(effects, labelled, report);
    if (!lost) return;
    this.isBroken = true;
    throw lost;
  }
}

/** The channels between node `id` and its neighbours, over its transport. */
export class NodeChannels {
  /** The largest counter that it has stored at its start, sent or taken. */
  #largest = 0;

  constructor(
    private readonly protocol: Protocol,
    private readonly topology: Topology,
    private readonly id: NodeId,
    private readonly transport: Transport,
    private readonly servesClients = false,
  ) {}

  /**
   * The protocol whose nodes start from what is stored; from then on it knows the counters there.
   * @throws {ConclaveError} `bad-input` for a counter that is none: the node must not start.
   */
  resumed(stored: StoredNode): Protocol {
    const { protocol, topology, id } = this;
    const largest = largestStored(roleOf(protocol, id, topology), stored.fields ?? {});
    if (typeof largest === 'number') {
      this.#know(largest);
      return stored.resumed(protocol);
    }
    stored.failed = true;
    throw badInput(
      `Node ${id} cannot start from its storage: ${largest}`,
      'Stop all nodes, and start them with empty storages in the next epoch: fencing tokens begin anew.',
    );
  }

  /**
   * What arrived, and the label of its link.
   * @throws {ConclaveError} `bad-input` for what no neighbour that runs this protocol sends.
   */
  received({ from, message }: Incoming): {
    readonly message: Received<Message>;
    readonly label: string | undefined;
  } {
    const { protocol, topology, id } = this;
    if (!this.#isClient(from, message) && (!topology.has(from) || !topology.link(from, id)))
      throw badInput(
        `Node ${id} got a message from '${from}', which has no channel to it in '${topology.spec}'`,
      );
    const cure = `Do both run ${protocol.name}, in the same version?`;
    const { message: bare, label } = withoutLabel(message);
    const known = checked(protocol.messages, bare, `Node ${id} got from ${from}`, cure);
    const { type } = known;
    const counter = Number(largestCounter(known, protocol.messages[type]?.counters ?? []));
    if (counter > this.#largest + reach)
      throw badInput(
        `Node ${id} got from ${from} '${type}' with the counter ${counter}, more than 2^38 above ${this.#largest}, the largest that it knows`,
        cure,
      );
    this.#know(counter);
    return { message: { ...known, from }, label };
  }

  /**
   * Sends the messages of a step; an error that the transport may make goes to `report`.
   *
   * @param labelled the messages with their numbers on the link, for a node with a journal
   * @returns why a message is lost that the transport promised to deliver
   */
  send(
    effects: readonly HostEffect[],
    labelled: readonly Message[] | undefined,
    report: (error: ConclaveError, to: NodeId) => void,
  ): ConclaveError | undefined {
    const { loss } = this.transport.guarantees;
    let sends = 0;
    let lost: ConclaveError | undefined;
    for (const effect of effects) {
      if (effect.type !== 'send') continue;
      const error = this.#send(effect.to, effect.message, labelled?.[sends++]);
      if (!error) continue;
      if (loss) report(error, effect.to);
      else lost ??= error;
    }
    return lost;
  }

  #know(counter: number): void {
    if (counter > this.#largest) this.#largest = counter;
  }

  /** Whether it is a client, and, of what arrived from it, whether a client sends such messages. */
  #isClient(other: NodeId, received?: unknown): boolean {
    if (!this.servesClients || this.topology.has(other)) return false;
    const { messages = [] } = this.protocol.clients ?? {};
    return received === undefined || (isMessage(received) && messages.includes(received.type));
  }

  #send(to: NodeId, message: Message, labelled = message): ConclaveError | undefined {
    const { protocol, topology, id, transport } = this;
    const isLinked =
      this.#isClient(to) || (topology.has(to) && topology.link(id, to) !== undefined);
    this.#know(requireSend({ protocol, topology }, id, { to, message }, isLinked));
    try {
      transport.send(to, labelled);
      return undefined;
    } catch (error) {
      return cannotSend(id, to, message, transport.guarantees, error);
    }
  }
}

/**
 * What the application observes of a node. Observers are called between steps, one after the
 * other, so that an observer may send to the node at once. One that throws does not keep the others
 * from being called: its error becomes an uncaught one of the application, as in RxJS.
 */
export class Observers {
  readonly state$: Observable<NodeView>;
  readonly notifications$: Observable<Message>;
  readonly errors$: Observable<ConclaveError>;
  /** The last one, which the observers may not have heard of yet. */
  state: NodeView;
  readonly #id: NodeId;
  readonly #states: BehaviorSubject<NodeView>;
  readonly #notifications = new Subject<Message>();
  readonly #errors = new Subject<ConclaveError>();
  readonly #due: (() => void)[] = [];
  readonly #repeats = new Repeats();
  /** True at first, so that the application can subscribe before the first call. */
  #isCalling = true;

  /** @param onError is called with each error while `errors$` has no subscriber */
  constructor(
    node: LiveNode,
    isAdmitted: boolean,
    private readonly onError: (error: ConclaveError) => void = printError,
  ) {
    const first = viewOf(node);
    this.#id = node.id;
    this.state = isAdmitted ? first : { ...first, tags: new Set() };
    this.#states = new BehaviorSubject(this.state);
    this.state$ = this.#states.asObservable();
    this.notifications$ = this.#notifications.asObservable();
    this.errors$ = this.#errors.asObservable();
  }

  /** The node has taken a step, which may have changed its state. */
  stepped(moment: Moment): void {
    const { value, context } = moment;
    const { state } = this;
    if (context !== state.context || !isSameValue(value, state.value)) this.become(moment);
  }

  become(moment: Moment): void {
    const state = viewOf(moment);
    this.state = state;
    this.#due.push(() => this.#states.next(state));
  }

  notify(notification: Message): void {
    this.#due.push(() => this.#notifications.next(notification));
  }

  /** @param peer whose message caused it, or for whom that is: its next ones are counted */
  report(error: unknown, peer?: NodeId): void {
    const own =
      error instanceof ConclaveError
        ? error
        : badInput(`Node ${this.#id}: ${textOf(error)}`, '', { cause: error });
    const reported = peer === undefined ? own : this.#repeats.due(own, peer);
    if (!reported) return;
    this.#due.push(() =>
      this.#errors.observed ? this.#errors.next(reported) : this.onError(reported),
    );
  }

  complete(): void {
    this.#due.push(() => {
      for (const subject of [this.#states, this.#notifications, this.#errors]) subject.complete();
    });
    this.run();
  }

  /** The application may have subscribed after this turn of the event loop. */
  open(): void {
    if (this.#due.length === 0) this.#isCalling = false;
    else
      queueMicrotask(() => {
        this.#isCalling = false;
        this.run();
      });
  }

  /** Does `work`; what becomes due in it waits for the next `run`. */
  hold(work: () => void): void {
    const isCalling = this.#isCalling;
    this.#isCalling = true;
    try {
      work();
    } finally {
      this.#isCalling = isCalling;
    }
  }

  /** Calls those that are due, unless that is under way. */
  run(): void {
    if (this.#isCalling) return;
    this.#isCalling = true;
    for (let call = this.#due.shift(); call; call = this.#due.shift()) {
      try {
        call();
      } catch (error) {
        setTimeout(() => {
          throw error;
        });
      }
    }
    this.#isCalling = false;
  }
}

function viewOf({ id, role, value, context, tags }: Moment): NodeView {
  return { id, role, value, context, tags, crashed: false };
}

function isSameValue(a: StateValue | undefined, b: StateValue | undefined): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object') return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => isSameValue(a[key], b[key]));
}
