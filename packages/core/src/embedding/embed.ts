import { BehaviorSubject, type Observable, Subject, Subscription } from 'rxjs';
import type { AnyMachineSnapshot } from 'xstate';
import { checkOptions } from '../options/check.js';
import { embedOptions } from '../options/embedding.js';
import { protocolGiven } from '../options/shapes.js';
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
import { networkOf, requireGuarantees, type Surroundings } from './requirements.js';
import type { Incoming, Transport } from './transport.js';
import { wallClock } from './wall-clock.js';
import { checked } from './wire.js';

/** The node, the other nodes or the network, and how it reaches them. */
export type EmbedOptions = Surroundings & {
  readonly self: NodeId;
  /** Handed over: closing the node closes it. */
  readonly transport: Transport;
  /** Default: real time. */
  readonly clock?: TimerClock;
  /** Answers the node's `choose` effects. Default: any option, equally likely. */
  readonly choose?: (options: readonly Json[]) => Json;
  /** Called with each error while `errors$` has no subscriber. Default `console.error`. */
  readonly onError?: (error: ConclaveError) => void;
};

/** A node that runs in this application. */
export interface Embedded<C extends Command = Command> extends AsyncDisposable {
  readonly id: NodeId;
  /** A snapshot, which later steps do not change. */
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

/**
 * Runs one node of `protocol` in this application.
 *
 * No message of another node stops the application: errors are emitted by `errors$`, or passed to `onError` while it has no subscriber.
 *
 * @throws {ConclaveError} `assumption` when the transport guarantees less than the protocol assumes; `bad-topology`, `bad-input`.
 * @example
 * await using node = embed(ricartAgrawala, { self: 'a', peers: ['b', 'c'], transport });
 * node.state$.subscribe(({ value }) => console.log(value));
 * node.send({ type: 'acquire' });
 */
export function embed<C extends Command>(protocol: Protocol<Message, C>, options: EmbedOptions): Embedded<C> {
  checkOptions('embed', protocolGiven, { protocol });
  checkOptions('embed', embedOptions, options);
  const { self, transport } = options;
  if (transport.self !== self) throw badInput(`Node ${self} is given the transport of node ${transport.self}`);
  const topology = networkOf(protocol, self, options);
  requireGuarantees(protocol, transport);
  return new EmbeddedNode<C>(protocol, topology, options);
}

class EmbeddedNode<C extends Command> implements Embedded<C>, Host {
  readonly id: NodeId;
  readonly clock: TimerClock;
  readonly state$: Observable<NodeView>;
  readonly notifications$: Observable<Message>;
  readonly errors$: Observable<ConclaveError>;
  readonly #node: NodeActor;
  readonly #states: BehaviorSubject<NodeView>;
  readonly #notifications = new Subject<Message>();
  readonly #errors = new Subject<ConclaveError>();
  readonly #subscriptions = new Subscription();
  /** Calls of observers that are due. They run between steps, one after the other, so that an observer may send to the node at once. */
  readonly #pending: (() => void)[] = [];
  /** True at first, so that the application can subscribe before the first call. */
  #telling = true;
  #state: NodeView;
  #closed: Promise<void> | undefined;

  constructor(
    private readonly protocol: Protocol,
    private readonly topology: Topology,
    private readonly options: EmbedOptions,
  ) {
    const { self, transport, clock = wallClock } = options;
    this.id = self;
    this.clock = {
      setTimeout: (fire, delay, timer) => clock.setTimeout(() => this.#run(fire), delay, timer),
      clearTimeout: (handle) => clock.clearTimeout(handle),
    };
    this.#node = new NodeActor(protocol, topology, self, this);
    this.#state = stateOf(this.#node);
    this.#states = new BehaviorSubject(this.#state);
    this.state$ = this.#states.asObservable();
    this.notifications$ = this.#notifications.asObservable();
    this.errors$ = this.#errors.asObservable();
    this.#node.start();
    this.#subscriptions.add(transport.errors$?.subscribe((error) => this.#run(() => this.#report(error))));
    this.#subscriptions.add(
      transport.received$.subscribe({
        next: (incoming) => this.#run(() => this.#receive(incoming)),
        error: (error) => this.#run(() => this.#report(error)),
      }),
    );
    if (this.#pending.length === 0) this.#telling = false;
    else queueMicrotask(() => this.#startTelling());
  }

  get state(): NodeView {
    return this.#state;
  }

  takes(command: C): boolean {
    return !this.#closed && this.#node.takes(command);
  }

  send(command: C): void {
    if (this.#closed) throw new ConclaveError('closed', `Node ${this.id} is closed; it takes no '${command.type}'`);
    checked(this.protocol.commands, command, `Node ${this.id} got the command`);
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
      this.#closed = this.options.transport.close();
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

  stepped(_node: NodeActor, _stimulus: Stimulus, _before: AnyMachineSnapshot | undefined, effects: readonly HostEffect[]): void {
    // First what the machine tells, since it may be the reason for the new state.
    for (const effect of effects) if (effect.type === 'notify') this.#pending.push(() => this.#notifications.next(effect.notification));
    const { snapshot } = this.#node;
    if (snapshot.context !== this.#state.context || stateText(snapshot.value) !== stateText(this.#state.value)) {
      const state = stateOf(this.#node);
      this.#state = state;
      this.#pending.push(() => this.#states.next(state));
    }
    for (const effect of effects) if (effect.type === 'send') this.#send(effect.to, effect.message);
  }

  choose(_node: NodeActor, options: readonly Json[]): Json {
    const { choose = anyOf } = this.options;
    return choose(options);
  }

  #receive({ from, message }: Incoming): void {
    if (!this.topology.has(from) || !this.topology.link(from, this.id))
      throw badInput(`Node ${this.id} got a message from '${from}', which has no channel to it in '${this.topology.spec}'`);
    const cure = `Do both run ${this.protocol.name}, in the same version?`;
    const received: Received<Message> = { ...checked(this.protocol.messages, message, `Node ${this.id} got from ${from}`, cure), from };
    this.#node.receive(received);
  }

  #send(to: NodeId, message: Message): void {
    if (!this.topology.has(to) || !this.topology.link(this.id, to)) throw astray(this.id, { to, message }, this.topology.spec);
    requireNoNotice(this.protocol, this.id, message);
    try {
      this.options.transport.send(to, message);
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

  /** Stops a machine that breaks the node contract. */
  #stopIfBroken(error: unknown): void {
    if (!(error instanceof ConclaveError) || error.code !== 'bad-protocol') return;
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
