import { BehaviorSubject, type Observable, Subject, Subscription } from 'rxjs';
import type { AnyMachineSnapshot } from 'xstate';
import { type Host, NodeActor, type Stimulus } from '../protocol/actor.js';
import { requireNoNotice } from '../protocol/crash-notice.js';
import { badInput, ConclaveError } from '../protocol/error.js';
import { stateText } from '../protocol/handles.js';
import type { Command, Json, Message, NodeId, Received } from '../protocol/node.js';
import type { TimerClock } from '../protocol/node-timers.js';
import type { NodeView } from '../protocol/property.js';
import type { Protocol } from '../protocol/protocol.js';
import { astray, type HostEffect } from '../protocol/step.js';
import type { Topology } from '../topology/topology.js';
import { nextIncarnation } from './incarnation.js';
import type { Journal } from './journal.js';
import { JournalWriter, withoutLabel } from './journal-writer.js';
import type { Surroundings } from './requirements.js';
import { StepCheck } from './step-check.js';
import type { StableStorage } from './storage.js';
import { openStorage, type StoredNode } from './stored-node.js';
import type { Incoming, Transport, TransportStatus } from './transport.js';
import { wallClock } from './wall-clock.js';
import { checked } from './wire.js';

/** The node, the other nodes or the network, and how it reaches them. */
export type EmbedOptions = Surroundings & {
  readonly self: NodeId;
  /** Handed over: closing the node closes it. */
  readonly transport: Transport;
  /**
   * Where the node keeps what it must not forget: its incarnation, and the fields that its role declares stable. It starts from them. Handed
   * over, as the transport.
   */
  readonly storage?: StableStorage;
  /**
   * The incarnation of this start: larger than at each earlier one, a whole number. Default: the milliseconds since 1970. With `storage`, at
   * least one more than the stored one.
   */
  readonly incarnation?: number;
  /** Default: real time. */
  readonly clock?: TimerClock;
  /** Answers the node's `choose` effects. Default: any option, equally likely. */
  readonly choose?: (options: readonly Json[]) => Json;
  /** Called with each error while `errors$` has no subscriber. Default `console.error`. */
  readonly onError?: (error: ConclaveError) => void;
  /** Where each step is written, for `conform`. Handed over, as the transport. Default: nowhere. */
  readonly journal?: Journal;
  /** Repeats each step, or one in so many, as a pure function; a node that differs stops with the error `diverged`. Default: none. */
  readonly verify?: 'each' | number;
};

/** A node that runs in this application. It takes no command before it is admitted, see {@link Embedded.admitted}. */
export interface Embedded<C extends Command = Command> extends AsyncDisposable {
  readonly id: NodeId;
  /** Which start of this node it is: larger than at each earlier one. */
  readonly incarnation: number;
  /** Resolves when the node has started. @throws {ConclaveError} `refused` where its peers do not admit it; `closed` before it was. */
  readonly admitted: Promise<void>;
  /** A snapshot, which later steps do not change. Until the node is admitted: its first state, without tags. */
  readonly state: NodeView;
  /** The present state and each later one; completes when the node is closed or its machine fails. */
  readonly state$: Observable<NodeView>;
  readonly notifications$: Observable<Message>;
  /** Errors of other nodes or of the protocol: a message that is unknown or that the state does not handle, a failing machine. */
  readonly errors$: Observable<ConclaveError>;
  /** Whether the present state takes commands like `command`. */
  takes(command: C): boolean;
  /** @throws {ConclaveError} `bad-input`: no command of the protocol; `unhandled`: not in this state; `closed`; `bad-protocol`: the machine fails. */
  send(command: C): void;
  /** Stops the node for good and closes its transport. To the other nodes this is a crash. */
  close(): Promise<void>;
}

/** A node of `protocol` on its transport. `connect` gives the transport, once its incarnation is on stable storage. */
export class EmbeddedNode<C extends Command> implements Embedded<C>, Host {
  readonly id: NodeId;
  readonly incarnation: number;
  readonly admitted: Promise<void>;
  readonly clock: TimerClock;
  readonly state$: Observable<NodeView>;
  readonly notifications$: Observable<Message>;
  readonly errors$: Observable<ConclaveError>;
  readonly #node: NodeActor;
  readonly #states: BehaviorSubject<NodeView>;
  readonly #notifications = new Subject<Message>();
  readonly #errors = new Subject<ConclaveError>();
  readonly #subscriptions = new Subscription();
  readonly #transport: Transport;
  readonly #stored: StoredNode;
  readonly #journal: JournalWriter | undefined;
  readonly #check: StepCheck | undefined;
  /** Calls of observers that are due. They run between steps, one after the other, so that an observer may send to the node at once. */
  readonly #pending: (() => void)[] = [];
  /** True at first, so that the application can subscribe before the first call. */
  #telling = true;
  #state: NodeView;
  #isAdmitted: boolean;
  /** The last error of the transport, which it may give as its reason to close. */
  #heard = '';
  #closed: Promise<void> | undefined;

  constructor(
    private readonly protocol: Protocol,
    private readonly topology: Topology,
    private readonly options: EmbedOptions,
    connect: (incarnation: number) => Transport = () => options.transport,
  ) {
    const { self, storage, journal, verify, clock = wallClock, incarnation = nextIncarnation(self) } = options;
    this.id = self;
    this.clock = {
      setTimeout: (fire, delay, timer) => clock.setTimeout(() => this.#run(fire), delay, timer),
      clearTimeout: (handle) => clock.clearTimeout(handle),
    };
    this.#stored = openStorage(self, storage, incarnation);
    this.incarnation = this.#stored.incarnation;
    const resumed = this.#stored.resumed(protocol);
    this.#node = new NodeActor(resumed, topology, self, this);
    this.#check = verify === undefined ? undefined : new StepCheck(resumed, topology, self, verify);
    this.#stored.begin(this.#node.context, protocol.roles[this.#node.role]?.stable ?? []);
    this.#journal = journal && new JournalWriter(journal, protocol, topology, self, this.incarnation, this.#stored.fields);
    this.#transport = connect(this.incarnation);
    const { admitted } = this.#transport;
    this.#isAdmitted = admitted === undefined;
    this.#state = this.#isAdmitted ? stateOf(this.#node) : { ...stateOf(this.#node), tags: new Set() };
    this.#states = new BehaviorSubject(this.#state);
    this.state$ = this.#states.asObservable();
    this.notifications$ = this.#notifications.asObservable();
    this.errors$ = this.#errors.asObservable();
    this.#subscriptions.add(journal?.errors$?.subscribe((error) => this.#run(() => this.#journalFailed(error))));
    this.#subscriptions.add(this.#transport.errors$?.subscribe((error) => this.#run(() => this.#hear(error))));
    this.#subscriptions.add(this.#transport.status$?.subscribe((status) => this.#run(() => this.#follow(status))));
    if (admitted) this.admitted = this.#await(admitted);
    else {
      this.admitted = Promise.resolve();
      this.#start();
    }
    if (this.#pending.length === 0) this.#telling = false;
    else queueMicrotask(() => this.#startTelling());
  }

  get state(): NodeView {
    return this.#state;
  }

  takes(command: C): boolean {
    return !this.#closed && this.#isAdmitted && this.#node.takes(command);
  }

  send(command: C): void {
    if (this.#closed) throw new ConclaveError('closed', `Node ${this.id} is closed; it takes no '${command.type}'`);
    checked(this.protocol.commands, command, `Node ${this.id} got the command`);
    if (!this.#isAdmitted)
      throw new ConclaveError(
        'unhandled',
        `Node ${this.id} is not admitted by its peers yet; it takes no '${command.type}'`,
        'Wait for admitted, and start all nodes of the network.',
      );
    if (!this.#node.takes(command))
      throw new ConclaveError(
        'unhandled',
        `Node ${this.id} in '${stateText(this.#node.value)}' does not take the command '${command.type}'`,
        'Wait for a state that does: see takes(command) and state$.',
      );
    try {
      this.#node.receive(command);
    } catch (error) {
      this.#stopIfBroken(error);
      throw error;
    } finally {
      this.#tell();
    }
  }

  close(): Promise<void> {
    if (!this.#closed) {
      this.#node.stop();
      this.#subscriptions.unsubscribe();
      this.#closed = this.#end();
      this.#pending.push(() => {
        for (const subject of [this.#states, this.#notifications, this.#errors]) subject.complete();
      });
      this.#tell();
    }
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #end(): Promise<void> {
    try {
      await Promise.all([this.#transport.close(), this.#journal?.close()]);
    } finally {
      this.options.storage?.close?.();
    }
  }

  stepped(node: NodeActor, stimulus: Stimulus, before: AnyMachineSnapshot | undefined, effects: readonly HostEffect[]): void {
    this.#check?.stepped(node, stimulus, before, effects);
    const { snapshot } = this.#node;
    this.#stored.keep(snapshot.context); // nothing of this step may leave before what it promises is stored
    const labelled = this.#journal?.step(node, stimulus, before, effects);
    // First what the machine tells, since it may be the reason for the new state.
    for (const effect of effects) if (effect.type === 'notify') this.#pending.push(() => this.#notifications.next(effect.notification));
    if (snapshot.context !== this.#state.context || stateText(snapshot.value) !== stateText(this.#state.value)) {
      const state = stateOf(this.#node);
      this.#state = state;
      this.#pending.push(() => this.#states.next(state));
    }
    let sends = 0;
    for (const effect of effects) if (effect.type === 'send') this.#send(effect.to, effect.message, labelled?.[sends++]);
  }

  choose(_node: NodeActor, options: readonly Json[]): Json {
    const { choose = anyOf } = this.options;
    return choose(options);
  }

  /** Starts the machine, then takes what has arrived. */
  #start(): void {
    this.#node.start();
    this.#subscriptions.add(
      this.#transport.received$.subscribe({
        next: (incoming) => this.#run(() => this.#receive(incoming)),
        error: (error) => this.#run(() => this.#report(error)),
      }),
    );
  }

  #await(admitted: Promise<void>): Promise<void> {
    const isClosed = () => new ConclaveError('closed', `Node ${this.id} was closed before its peers had admitted it`);
    const started = admitted.then(
      () => {
        if (this.#closed) throw isClosed();
        this.#run(() => this.#admit());
      },
      (error: unknown) => {
        if (this.#closed) throw isClosed();
        this.#run(() => this.#report(error));
        this.#stop();
        throw error;
      },
    );
    started.catch(() => {}); // it is reported; an application that does not wait for it need not handle it again
    return started;
  }

  #admit(): void {
    this.#isAdmitted = true;
    const state = stateOf(this.#node);
    this.#state = state;
    this.#pending.push(() => this.#states.next(state));
    this.#start();
  }

  #hear(error: ConclaveError): void {
    this.#heard = error.message;
    this.#report(error);
  }

  /** A transport that closes by itself leaves the node alone for good. */
  #follow(status: TransportStatus): void {
    if (status.state !== 'closed' || this.#closed) return;
    if (status.reason !== this.#heard)
      this.#report(new ConclaveError('closed', `Node ${this.id} has lost its transport for good: ${status.reason}`));
    this.#stop();
  }

  #receive({ from, message }: Incoming): void {
    if (!this.topology.has(from) || !this.topology.link(from, this.id))
      throw badInput(`Node ${this.id} got a message from '${from}', which has no channel to it in '${this.topology.spec}'`);
    const cure = `Do both run ${this.protocol.name}, in the same version?`;
    const { message: bare, label } = withoutLabel(message);
    const received: Received<Message> = { ...checked(this.protocol.messages, bare, `Node ${this.id} got from ${from}`, cure), from };
    this.#journal?.receiving(label);
    try {
      this.#node.receive(received);
    } catch (error) {
      if (error instanceof ConclaveError && error.code === 'unhandled') this.#journal?.unhandled(received, from);
      throw error;
    }
  }

  /** @param labelled the message with its number on the link, for a node with a journal */
  #send(to: NodeId, message: Message, labelled = message): void {
    if (!this.topology.has(to) || !this.topology.link(this.id, to)) throw astray(this.id, { to, message }, this.topology.spec);
    requireNoNotice(this.protocol, this.id, message);
    try {
      this.#transport.send(to, labelled);
    } catch (error) {
      this.#report(
        new ConclaveError('closed', `Node ${this.id} cannot send '${message.type}' to ${to}: ${textOf(error)}`, '', { cause: error }),
      );
    }
  }

  /** A step that the application did not start: its errors are reported, not thrown. */
  #run(step: () => void): void {
    if (this.#closed) return;
    try {
      step();
    } catch (error) {
      this.#report(error);
      this.#stopIfBroken(error);
    }
    this.#tell();
  }

  #report(error: unknown): void {
    const reported = error instanceof ConclaveError ? error : badInput(`Node ${this.id}: ${textOf(error)}`, '', { cause: error });
    const { onError = console.error } = this.options;
    this.#pending.push(() => (this.#errors.observed ? this.#errors.next(reported) : onError(reported)));
  }

  #journalFailed(error: ConclaveError): void {
    this.#report(error);
    if (this.options.journal?.required) this.#stop();
  }

  /** Stops a machine that breaks the node contract or takes other steps than it should, and a node that cannot keep its promises. */
  #stopIfBroken(error: unknown): void {
    if (error instanceof ConclaveError && (error.code === 'bad-protocol' || error.code === 'diverged' || this.#stored.failed)) this.#stop();
  }

  #stop(): void {
    this.close().catch((failure: unknown) => {
      this.#report(failure);
      this.#tell();
    });
  }

  #startTelling(): void {
    this.#telling = false;
    this.#tell();
  }

  #tell(): void {
    if (this.#telling) return;
    this.#telling = true;
    try {
      for (let tell = this.#pending.shift(); tell; tell = this.#pending.shift()) tell();
    } finally {
      this.#telling = false;
    }
  }
}

function stateOf({ id, role, snapshot: { value, context, tags } }: NodeActor): NodeView {
  return { id, role, value, context, tags, crashed: false };
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function anyOf(options: readonly Json[]): Json {
  return options[Math.floor(Math.random() * options.length)] ?? null;
}
