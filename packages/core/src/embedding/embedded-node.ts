import { BehaviorSubject, type Observable, Subject, Subscription } from 'rxjs';
import type { AnyMachineSnapshot } from 'xstate';
import { badInput, ConclaveError } from '../base/error.js';
import { type Host, NodeActor } from '../protocol/actor.js';
import { requireNoNotice } from '../protocol/crash-notice.js';
import { stateText } from '../protocol/handles.js';
import type { Command, Json, Message, NodeId, Received } from '../protocol/node.js';
import type { NodeView } from '../protocol/property.js';
import type { Protocol } from '../protocol/protocol.js';
import { astray, type HostEffect } from '../protocol/step.js';
import type { Stimulus } from '../protocol/stimulus.js';
import type { Topology } from '../topology/topology.js';
import { anyOf } from './any-of.js';
import {
  cannotSend,
  isClosed,
  isNotAdmitted,
  isNotTaken,
  lostTransport,
  textOf,
} from './embed-errors.js';
import type { Embedded, EmbedOptions } from './embedded.js';
import { nextIncarnation } from './incarnation.js';
import { JournalWriter, withoutLabel } from './journal-writer.js';
import { ObserverCalls } from './observer-calls.js';
import { PunctualTimers } from './punctual-timers.js';
import { startWhen } from './start-when.js';
import { StepCheck } from './step-check.js';
import { StoredNode } from './stored-node.js';
import type { Incoming, Transport, TransportStatus } from './transport.js';
import { wallClock } from './wall-clock.js';
import { checked } from './wire.js';

/**
 * A node of `protocol` on its transport. `connect` gives the transport, once its incarnation is on
 * stable storage.
 */
export class EmbeddedNode<C extends Command> implements Embedded<C>, Host {
  readonly id: NodeId;
  readonly incarnation: number;
  readonly admitted: Promise<void>;
  readonly clock: PunctualTimers;
  readonly state$: Observable<NodeView>;
  readonly notifications$: Observable<Message>;
  readonly errors$: Observable<ConclaveError>;
  #node: NodeActor;
  readonly #states: BehaviorSubject<NodeView>;
  readonly #notifications = new Subject<Message>();
  readonly #errors = new Subject<ConclaveError>();
  readonly #subscriptions = new Subscription();
  readonly #transport: Transport;
  readonly #stored: StoredNode;
  /** What was stored before it took part for the first time. */
  #first: StoredNode['fields'];
  #journal: JournalWriter | undefined;
  #check: StepCheck | undefined;
  readonly #calls = new ObserverCalls();
  #state: NodeView;
  #isAdmitted: boolean;
  /** The last error of the transport, which it may give as its reason to close. */
  #heard = '';
  /** Whether a message of a step is lost that its transport promised to deliver. */
  #isBroken = false;
  #closed: Promise<void> | undefined;

  constructor(
    private readonly protocol: Protocol,
    private readonly topology: Topology,
    private readonly options: EmbedOptions,
  ) {
    const {
      self,
      storage,
      journal,
      clock = wallClock,
      incarnation = nextIncarnation(self),
      transport,
    } = options;
    this.id = self;
    this.clock = new PunctualTimers(clock, (fire) => this.#run(fire));
    this.#stored = new StoredNode(self, storage, incarnation);
    this.incarnation = this.#stored.incarnation;
    this.#first = this.#stored.fields;
    [this.#node, this.#check] = this.#made();
    if (transport.admitted) this.#stored.reserve();
    this.#transport = transport;
    const { admitted } = this.#transport;
    this.#isAdmitted = admitted === undefined;
    this.#state = this.#isAdmitted
      ? stateOf(this.#node)
      : { ...stateOf(this.#node), tags: new Set() };
    this.#states = new BehaviorSubject(this.#state);
    this.state$ = this.#states.asObservable();
    this.notifications$ = this.#notifications.asObservable();
    this.errors$ = this.#errors.asObservable();
    this.#subscriptions.add(
      journal?.errors$?.subscribe((error) => this.#run(() => this.#journalFailed(error))),
    );
    this.#subscriptions.add(
      this.#transport.errors$?.subscribe((error) => this.#run(() => this.#hear(error))),
    );
    this.#subscriptions.add(
      this.#transport.status$?.subscribe((status) => this.#run(() => this.#follow(status))),
    );
    if (admitted)
      this.admitted = startWhen(admitted, this.id, {
        // which ends when it is closed
        closed: new Promise((resolve) => this.#subscriptions.add(resolve)),
        isClosed: () => this.#closed !== undefined,
        start: () => this.#run(() => this.#admit()),
        refused: (error) => {
          this.#run(() => this.#report(error));
          this.#stop();
        },
      });
    else {
      this.admitted = Promise.resolve();
      this.#startOrThrow();
    }
    this.#calls.open();
  }

  get state(): NodeView {
    return this.#state;
  }

  settle(): void {
    if (!this.#closed) this.clock.fireLate();
  }

  get awaited(): readonly NodeId[] {
    return this.#transport.awaited ?? [];
  }

  get timers(): ReadonlyMap<string, number> {
    return this.clock.left;
  }

  takes(command: C): boolean {
    return !this.#closed && this.#isAdmitted && this.#node.takes(command);
  }

  send(command: C): void {
    try {
      // an observer that is called between might send the same command
      this.#calls.hold(() => this.settle());
      if (this.#closed) throw isClosed(this.id, command);
      checked(this.protocol.commands, command, `Node ${this.id} got the command`);
      if (!this.#isAdmitted) throw isNotAdmitted(this.id, command);
      if (!this.#node.takes(command)) throw isNotTaken(this.#node, command);
      this.#node.receive(command);
    } catch (error) {
      this.#stopIfBroken(error);
      throw error;
    } finally {
      this.#calls.run();
    }
  }

  close(): Promise<void> {
    if (!this.#closed) {
      this.#node.stop();
      this.#subscriptions.unsubscribe();
      this.#closed = this.#end();
      this.#calls.add(() => {
        for (const subject of [this.#states, this.#notifications, this.#errors]) subject.complete();
      });
      this.#calls.run();
    }
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #end(): Promise<void> {
    try {
      await Promise.all([
        this.#transport.close(),
        (this.#journal ?? this.options.journal)?.close(),
      ]);
    } finally {
      this.options.storage?.close?.();
    }
  }

  stepped(
    node: NodeActor,
    stimulus: Stimulus,
    before: AnyMachineSnapshot | undefined,
    effects: readonly HostEffect[],
  ): void {
    this.#check?.stepped(node, stimulus, before, effects);
    const { snapshot } = this.#node;
    // nothing of this step may leave before what it promises is stored
    this.#stored.keep(snapshot.context);
    const labelled = this.#journal?.step(node, stimulus, before, effects);
    // First what the machine tells, since it may be the reason for the new state.
    for (const effect of effects)
      if (effect.type === 'notify')
        this.#calls.add(() => this.#notifications.next(effect.notification));
    if (
      snapshot.context !== this.#state.context ||
      stateText(snapshot.value) !== stateText(this.#state.value)
    ) {
      const state = stateOf(this.#node);
      this.#state = state;
      this.#calls.add(() => this.#states.next(state));
    }
    let sends = 0;
    let lost: ConclaveError | undefined;
    for (const effect of effects) {
      if (effect.type !== 'send') continue;
      const error = this.#send(effect.to, effect.message, labelled?.[sends++]);
      if (!error) continue;
      if (this.#transport.guarantees.loss) this.#report(error);
      else lost ??= error;
    }
    if (!lost) return;
    this.#isBroken = true;
    throw lost;
  }

  choose(_node: NodeActor, options: readonly Json[]): Json {
    const { choose = anyOf } = this.options;
    return choose(options);
  }

  /** The node, from what is stored, and the check of its steps. */
  #made(): [NodeActor, StepCheck | undefined] {
    const { protocol, topology, id, options } = this;
    const resumed = this.#stored.resumed(protocol);
    const check =
      options.verify === undefined
        ? undefined
        : new StepCheck(resumed, topology, id, options.verify);
    return [new NodeActor(resumed, topology, id, this), check];
  }

  /** Starts the machine, then takes what has arrived. */
  #start(): void {
    const { journal } = this.options;
    this.#stored.begin(this.#node.context, this.protocol.roles[this.#node.role]?.stable ?? []);
    this.#journal =
      journal &&
      new JournalWriter(
        journal,
        this.protocol,
        this.topology,
        this.id,
        this.incarnation,
        this.#first,
      );
    this.#node.start();
    this.#subscriptions.add(
      this.#transport.received$.subscribe({
        next: (incoming) => this.#run(() => this.#receive(incoming)),
        error: (error) => this.#run(() => this.#report(error)),
      }),
    );
  }

  /** A node that cannot start is no node: nothing of it may run on. */
  #startOrThrow(): void {
    try {
      this.#start();
    } catch (error) {
      this.#node.stop();
      this.#subscriptions.unsubscribe();
      throw error;
    }
  }

  #admit(): void {
    this.#isAdmitted = true;
    if (this.#stored.storage?.isRenewed) {
      [this.#node, this.#check] = this.#made();
      this.#first = this.#stored.fields;
    }
    const state = stateOf(this.#node);
    this.#state = state;
    this.#calls.add(() => this.#states.next(state));
    this.#start();
  }

  #hear(error: ConclaveError): void {
    this.#heard = error.message;
    this.#report(error);
  }

  /** A transport that closes by itself leaves the node alone for good. */
  #follow(status: TransportStatus): void {
    if (status.state !== 'closed' || this.#closed) return;
    if (status.reason !== this.#heard) this.#report(lostTransport(this.id, status.reason));
    this.#stop();
  }

  #receive({ from, message }: Incoming): void {
    this.settle();
    if (this.#closed) return;
    if (!this.topology.has(from) || !this.topology.link(from, this.id))
      throw badInput(
        `Node ${this.id} got a message from '${from}', which has no channel to it in '${this.topology.spec}'`,
      );
    const cure = `Do both run ${this.protocol.name}, in the same version?`;
    const { message: bare, label } = withoutLabel(message);
    const received: Received<Message> = {
      ...checked(this.protocol.messages, bare, `Node ${this.id} got from ${from}`, cure),
      from,
    };
    this.#journal?.receiving(label);
    try {
      this.#node.receive(received);
    } catch (error) {
      if (error instanceof ConclaveError && error.code === 'unhandled')
        this.#journal?.unhandled(received, from);
      throw error;
    }
  }

  /**
   * Why it cannot be sent.
   * @param labelled the message with its number on the link, for a node with a journal
   */
  #send(to: NodeId, message: Message, labelled = message): ConclaveError | undefined {
    if (!this.topology.has(to) || !this.topology.link(this.id, to))
      throw astray(this.id, { to, message }, this.topology.spec);
    requireNoNotice(this.protocol, this.id, message);
    try {
      this.#transport.send(to, labelled);
      return undefined;
    } catch (error) {
      return cannotSend(this.id, to, message, this.#transport.guarantees, error);
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
    this.#calls.run();
  }

  #report(error: unknown): void {
    const reported =
      error instanceof ConclaveError
        ? error
        : badInput(`Node ${this.id}: ${textOf(error)}`, '', { cause: error });
    const { onError = console.error } = this.options;
    this.#calls.add(() =>
      this.#errors.observed ? this.#errors.next(reported) : onError(reported),
    );
  }

  #journalFailed(error: ConclaveError): void {
    this.#report(error);
    if (this.options.journal?.required) this.#stop();
  }

  /**
   * Stops a machine that breaks the node contract or takes other steps than it should, and a node
   * that cannot keep its promises.
   */
  #stopIfBroken(error: unknown): void {
    if (
      error instanceof ConclaveError &&
      (error.code === 'bad-protocol' ||
        error.code === 'diverged' ||
        this.#isBroken ||
        this.#stored.failed)
    )
      this.#stop();
  }

  #stop(): void {
    this.close().catch((failure: unknown) => {
      this.#report(failure);
      this.#calls.run();
    });
  }
}

function stateOf({ id, role, snapshot: { value, context, tags } }: NodeActor): NodeView {
  return { id, role, value, context, tags, crashed: false };
}
