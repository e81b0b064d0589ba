import { type Observable, Subscription } from 'rxjs';
import { ConclaveError } from '../base/error.js';
import { optionAt } from '../base/weighted.js';
import {
  type LiveHost,
  type LiveNode,
  liveNode,
  type StateBefore,
} from '../protocol/compiled/compiled-node.js';
import type { Command, Json, Message, NodeId, Stimulus } from '../protocol/node.js';
import type { NodeView } from '../protocol/property.js';
import type { Protocol } from '../protocol/protocol.js';
import type { HostEffect } from '../protocol/step.js';
import type { Topology } from '../topology/topology.js';
import {
  asRefusal,
  couldNotStart,
  isClosed,
  isNotAdmitted,
  isNotTaken,
  lostTransport,
  wasClosed,
} from './embed-errors.js';
import type { Embedded, EmbedOptions } from './embedded.js';
import { JournalWriter } from './journal.js';
import { StepCheck } from './step-check.js';
import { StoredNode } from './stored-node.js';
import { nextIncarnation } from './terms.js';
import { checked, type Incoming, type TransportStatus } from './transport.js';
import { NodeChannels, Observers, Turn } from './turn.js';
import { PunctualTimers, SharedTimer, wallClock } from './wall-clock.js';

/** A node of `protocol` on its transport. */
export class EmbeddedNode<C extends Command> implements Embedded<C>, LiveHost {
  readonly id: NodeId;
  readonly incarnation: number;
  readonly admitted: Promise<void>;
  readonly clock: PunctualTimers;
  readonly state$: Observable<NodeView>;
  readonly notifications$: Observable<Message>;
  readonly errors$: Observable<ConclaveError>;
  readonly inspect?: NonNullable<EmbedOptions['inspect']>;
  #node: LiveNode;
  readonly #subscriptions = new Subscription();
  readonly #stored: StoredNode;
  /** What was stored before it took part for the first time. */
  #first: StoredNode['fields'];
  #check: StepCheck;
  readonly #channels: NodeChannels;
  readonly #observers: Observers;
  readonly #turn: Turn;
  /** Whether steps may share a write: a crash before it looks as if their messages were lost. */
  readonly #shares: boolean;
  #label: string | undefined; // of the message that is being received
  #isAdmitted: boolean;
  refusal: ConclaveError | undefined;
  /** The last error of the transport, which it may give as its reason to close. */
  #heard: ConclaveError | undefined;
  #closed: Promise<void> | undefined;

  constructor(
    private readonly protocol: Protocol,
    private readonly topology: Topology,
    private readonly options: EmbedOptions,
  ) {
    const { self, transport, storage, journal, clock = wallClock } = options;
    const { incarnation = nextIncarnation(self) } = options;
    if (options.inspect) this.inspect = options.inspect;
    this.id = self;
    const timers = clock === wallClock ? new SharedTimer(wallClock) : clock;
    this.clock = new PunctualTimers(timers, (fire) => this.#run(fire));
    this.#shares = clock === wallClock && transport.guarantees.loss;
    this.#channels = new NodeChannels(protocol, topology, self, transport, options.clients);
    this.#stored = new StoredNode(self, storage, incarnation);
    this.incarnation = this.#stored.incarnation;
    this.#first = this.#stored.fields;
    [this.#node, this.#check] = this.#made();
    if (transport.admitted) this.#stored.reserve();
    const { admitted, errors$, status$ } = transport;
    this.#isAdmitted = admitted === undefined;
    this.#observers = new Observers(this.#node, this.#isAdmitted, options.onError);
    this.#turn = new Turn(this.#observers, this.#channels, () => this.#stored.commit());
    this.state$ = this.#observers.state$;
    this.notifications$ = this.#observers.notifications$;
    this.errors$ = this.#observers.errors$;
    this.#subscriptions.add(
      journal?.errors$?.subscribe((error) => this.#run(() => this.#journalFailed(error))),
    );
    this.#subscriptions.add(errors$?.subscribe((error) => this.#run(() => this.#hear(error))));
    this.#subscriptions.add(status$?.subscribe((status) => this.#run(() => this.#follow(status))));
    if (admitted)
      this.admitted = startWhen(admitted, this.id, {
        // which ends when it is closed
        closed: new Promise((resolve) => this.#subscriptions.add(resolve)),
        isClosed: () => this.#closed !== undefined,
        start: () => this.#run(() => this.#admit()),
        refused: (error) => {
          this.refusal = asRefusal(error);
          this.#run(() => this.#observers.report(error));
          this.#stop();
        },
      });
    else {
      this.admitted = Promise.resolve();
      this.#startOrStop();
    }
    this.#observers.open();
  }

  get state(): NodeView {
    // who looks must see what cannot be forgotten
    if (this.#turn.isOpen) this.#endTurn();
    return this.#observers.state;
  }

  settle(): void {
    this.clock.fireLate();
    this.#endTurn();
  }

  get awaited(): readonly NodeId[] {
    return this.options.transport.awaited ?? [];
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
      if (this.clock.hasTimers) this.#observers.hold(() => this.clock.fireLate());
      if (this.#closed) throw isClosed(this.id, command);
      checked(this.protocol.commands, command, `Node ${this.id} got the command`);
      if (!this.#isAdmitted) throw isNotAdmitted(this.id, command);
      if (!this.#node.takes(command)) throw isNotTaken(this.#node, command);
      this.#node.receive(command);
    } catch (error) {
      this.#stopIfBroken(error);
      throw error;
    } finally {
      this.#observers.run();
    }
  }

  close(): Promise<void> {
    this.#endTurn();
    if (!this.#closed) {
      this.#node.stop();
      this.#subscriptions.unsubscribe();
      this.#closed = this.#end();
      this.#observers.complete();
    }
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #end(): Promise<void> {
    const { transport, journal, storage } = this.options;
    try {
      await Promise.all([transport.close(), (this.#turn.journal ?? journal)?.close()]);
    } finally {
      storage?.close?.();
    }
  }

  stepped(
    node: LiveNode,
    stimulus: Stimulus,
    before: StateBefore | undefined,
    effects: readonly HostEffect[],
  ): void {
    this.#check.stepped(node, stimulus, before, effects);
    // nothing of this step may leave before what it promises is stored
    const isTimer = stimulus.kind === 'timeout';
    const isStaged = this.#stored.keep(node.context, this.#shares && !isTimer);
    const taken = { stimulus, label: this.#label, before, effects };
    if (this.#turn.stepped(node, taken, isStaged)) wallClock.soon?.(() => this.#endTurn());
    // time has run out, such as that of a lease: who counts on it must know
    if (isTimer) this.#endTurn();
  }

  choose(_node: LiveNode, options: readonly Json[], weights?: readonly number[]): Json {
    const { choose = anyOf } = this.options;
    return choose(options, weights);
  }

  /** The node, from what is stored, and the check of its steps. */
  #made(): [LiveNode, StepCheck] {
    const { topology, id } = this;
    const resumed = this.#channels.resumed(this.#stored);
    const check = new StepCheck(resumed, topology, id, this.options.confirm);
    return [liveNode(resumed, topology, id, this), check];
  }

  /** Starts the machine, then takes what has arrived. */
  #start(): void {
    const { protocol, topology, incarnation } = this;
    const { self, journal } = this.options;
    this.#stored.begin(this.#node.context, protocol.roles[this.#node.role]?.stable ?? []);
    this.#turn.journal =
      journal && new JournalWriter(journal, protocol, topology, self, incarnation, this.#first);
    this.#node.start();
    this.#subscriptions.add(
      this.options.transport.received$.subscribe({
        next: (incoming) => this.#run(() => this.#receive(incoming), incoming.from),
        error: (error) => this.#run(() => this.#observers.report(error)),
      }),
    );
  }

  /** A node that cannot start is no node: nothing of it may run on. */
  #startOrStop(): void {
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
    this.#observers.become(this.#node);
    this.#start();
  }

  #hear(error: ConclaveError): void {
    this.#heard = error;
    this.#observers.report(error);
  }

  /** A transport that closes by itself leaves the node alone for good. */
  #follow(status: TransportStatus): void {
    if (status.state !== 'closed' || this.#closed) return;
    if (status.reason === this.#heard?.message) this.refusal = asRefusal(this.#heard);
    else this.#observers.report(lostTransport(this.id, status.reason));
    this.#stop();
  }

  #receive(incoming: Incoming): void {
    this.clock.fireLate();
    if (this.#closed) return;
    const { message, label } = this.#channels.received(incoming);
    this.#label = label;
    try {
      this.#node.receive(message);
    } catch (error) {
      if (error instanceof ConclaveError && error.code === 'unhandled')
        this.#turn.note((journal) => journal.unhandled(message, incoming.from, label));
      throw error;
    }
  }

  /** Stores what the steps of this turn promise, then tells of them. */
  #endTurn(): void {
    if (this.#turn.isOpen) this.#run(() => this.#turn.end());
  }

  /** A step that the application did not start: its errors are reported, not thrown. */
  #run(step: () => void, from?: NodeId): void {
    if (this.#closed) return;
    try {
      step();
    } catch (error) {
      this.#observers.report(error, from);
      this.#stopIfBroken(error);
    }
    this.#observers.run();
  }

  #journalFailed(error: ConclaveError): void {
    this.#observers.report(error);
    if (this.options.journal?.required) this.#stop();
  }

  /**
   * Stops a machine that breaks the node contract or takes other steps than it should, and a node
   * that cannot keep its promises.
   */
  #stopIfBroken(error: unknown): void {
    if (!(error instanceof ConclaveError)) return;
    const isWrong = error.code === 'bad-protocol' || error.code === 'diverged';
    if (isWrong || this.#turn.isBroken || this.#stored.failed) this.#stop();
  }

  #stop(): void {
    this.close().catch((failure: unknown) => {
      this.#observers.report(failure);
      this.#observers.run();
    });
  }
}

/** One of them, each as likely as its weight says; without weights, equally likely. */
function anyOf(options: readonly Json[], weights: readonly number[] = options.map(() => 1)): Json {
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return optionAt(Math.random() * sum, options, weights);
}

/** What a node does when its peers have answered. */
interface Starting {
  /** Resolves when the node is closed: a transport need not settle `admitted` then. */
  readonly closed: Promise<void>;
  readonly isClosed: () => boolean;
  /** Reports its errors, and closes the node on them. */
  readonly start: () => void;
  readonly refused: (error: unknown) => void;
}

/**
 * Starts node `id` when its peers have admitted it.
 * @throws {ConclaveError} `closed` where it was closed before or cannot start; `refused`.
 */
function startWhen(
  admitted: Promise<void>,
  id: NodeId,
  { closed, isClosed, start, refused }: Starting,
): Promise<void> {
  const started = Promise.race([admitted, closed]).then(
    () => {
      if (isClosed()) throw wasClosed(id);
      start();
      if (isClosed()) throw couldNotStart(id);
    },
    (error: unknown) => {
      if (isClosed()) throw wasClosed(id);
      refused(error);
      throw error;
    },
  );
  // it is reported; an application that does not wait for it need not handle it again
  started.catch(() => {});
  return started;
}
