import {
  type Actor,
  type ActorLogic,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  createActor,
  type EventObject,
  type InspectionEvent,
  type StateValue,
} from 'xstate';
import { ConclaveError } from '../base/error.js';
import type { Topology } from '../topology/topology.js';
import { machineError } from './contract-errors.js';
import { duringStep, emittedEffect, notAnEffect } from './effects.js';
import { handles, unhandledEvent } from './handles.js';
import type { Json, NodeId, Stimulus } from './node.js';
import { causeOf } from './node-step.js';
import { NodeTimers, type TimerClock } from './node-timers.js';
import { changesFrozen, present } from './plain-data.js';
import type { NodeView } from './property.js';
import { type Protocol, roleOf } from './protocol.js';
import { inOrder } from './regions.js';
import { inputAgain } from './stable.js';
import { frozen, type HostEffect, impureStep } from './step.js';

/** How a {@link NodeActor} reaches its host. */
export interface Host {
  readonly clock: TimerClock;
  /**
   * Whether contexts and messages are frozen, so that a machine that changes them is stopped where
   * it does. Default false.
   */
  readonly freezes?: boolean;
  /** Called after each step; `before` is undefined at a start or restart. */
  stepped(
    node: NodeActor,
    stimulus: Stimulus,
    before: AnyMachineSnapshot | undefined,
    effects: readonly HostEffect[],
  ): void;
  /** XState's own inspection of the node's actor. Default none. */
  readonly inspect?: (event: InspectionEvent) => void;
  /** Picks one of the options of a `choose` effect. */
  choose(node: NodeActor, options: readonly Json[], weights?: readonly number[]): Json;
}

type Logic = ActorLogic<AnyMachineSnapshot, EventObject, Json>;
type Scope = Parameters<Logic['transition']>[2];

const noTags: ReadonlySet<string> = new Set();
const noEffects: readonly HostEffect[] = [];

/**
 * One node of a protocol as a live XState actor: what the simulation, the embedding and the replay
 * run.
 */
export class NodeActor implements NodeView {
  readonly role: string;
  crashed = false;
  /** The history variable, where the host keeps one. */
  history: Json | undefined;
  readonly #machine: AnyStateMachine;
  readonly #stable: readonly string[];
  readonly #input: Json;
  readonly #timers: NodeTimers;
  readonly #listener: Listener;
  #actor: Actor<Logic>;
  #snapshot: AnyMachineSnapshot;
  #outbox: HostEffect[] = [];
  /**
   * How the machine broke the node contract; thrown at the end of the step, since XState would
   * report it too late.
   */
  #failure: ConclaveError | undefined;

  constructor(
    protocol: Protocol,
    topology: Topology,
    readonly id: NodeId,
    private readonly host: Host,
  ) {
    const role = roleOf(protocol, id, topology);
    this.role = role.name;
    this.#machine = role.machine;
    this.#stable = role.stable ?? [];
    this.#input = role.input(id, topology);
    const fail = (error: unknown) => {
      this.#failure ??= error instanceof ConclaveError ? error : machineError(id, error);
    };
    const emit = (emitted: unknown) => {
      const effect = emittedEffect(emitted);
      if (effect) this.#outbox.push(effect);
      else fail(notAnEffect(id, emitted));
    };
    this.#listener = { emit, fail };
    this.#timers = new NodeTimers(id, host.clock, {
      changed: (effect) => this.#outbox.push(effect),
      expired: (timer) => {
        const before = this.#snapshot;
        this.#actor.send(timer.event);
        this.#settle({ kind: 'timeout', timer: timer.id }, before);
      },
      fail,
    });
    this.#actor = this.#create(this.#input);
    this.#snapshot = this.#actor.getSnapshot();
  }

  get value(): StateValue {
    return this.#snapshot.value;
  }

  get context(): Readonly<Record<string, unknown>> {
    return this.#snapshot.context;
  }

  get tags(): ReadonlySet<string> {
    return this.crashed ? noTags : this.#snapshot.tags;
  }

  get snapshot(): AnyMachineSnapshot {
    return this.#snapshot;
  }

  /** The ids of the armed timers, in the order they were armed. */
  get timers(): readonly string[] {
    return this.#timers.armed;
  }

  /** Runs the entry actions. */
  start(): void {
    this.#begin('start');
  }

  /**
   * @throws {ConclaveError} `unhandled` when nothing in the current state takes `event`;
   * `bad-protocol` when the machine fails.
   */
  receive(event: EventObject): void {
    const before = this.#snapshot;
    if (before.status !== 'active') throw unhandledEvent(this.id, before.value, event);
    this.#actor.send(event);
    // An unhandled event changes nothing: only then is it worth looking whether a transition takes
    // it.
    if (
      this.#actor.getSnapshot() === before &&
      this.#outbox.length === 0 &&
      !this.#failure &&
      !handles(this.#machine, before, event)
    )
      throw unhandledEvent(this.id, before.value, event);
    this.#settle({ kind: 'event', event }, before);
  }

  /** Whether the current state takes a command or message like `event`. */
  takes(event: EventObject): boolean {
    return !this.crashed && handles(this.#machine, this.#snapshot, event);
  }

  /** Stops until {@link restart}, if that is called; its timers are cancelled. */
  crash(): void {
    this.crashed = true;
    this.stop();
  }

  /** Restarts after a crash: the initial state, plus the fields that the role declares `stable`. */
  restart(): void {
    const input = inputAgain(this.#input, this.#snapshot.context, this.#stable);
    this.crashed = false;
    this.#actor = this.#create(input);
    this.#begin('restart');
  }

  /** Ends the actor and clears its timers. */
  stop(): void {
    this.#actor.stop(); // cancels its timers too
    this.#outbox = [];
  }

  #create(input: Json): Actor<Logic> {
    const actor = createActor(new ListenedMachine(this.#machine, this.id, this.#listener), {
      id: this.id,
      input,
      ...(this.host.inspect && { inspect: this.host.inspect }),
    });
    const { status, error } = actor.getSnapshot();
    if (status === 'error') throw duringStep(machineError(this.id, error), undefined, undefined);
    Object.assign(actor.system, { scheduler: this.#timers });
    return actor;
  }

  #freeze({ context }: AnyMachineSnapshot, before: AnyMachineSnapshot | undefined): void {
    if (context !== before?.context) frozen(this.id, present(context), 'context');
    for (const effect of this.#outbox) frozen(this.id, effect, effect.type);
  }

  #begin(kind: 'start' | 'restart'): void {
    this.#actor.start();
    this.#settle({ kind }, undefined);
  }

  #settle(stimulus: Stimulus, before: AnyMachineSnapshot | undefined): void {
    this.#snapshot = this.#actor.getSnapshot();
    const effects = this.#outbox.length === 0 ? noEffects : this.#outbox;
    try {
      if (this.host.freezes) this.#freeze(this.#snapshot, before);
      if (effects !== noEffects) this.#outbox = [];
      if (this.#failure) throw this.#failure;
      this.host.stepped(this, stimulus, before, effects);
    } catch (error) {
      throw duringStep(error, before?.value, causeOf(stimulus));
    }
    for (const effect of effects) {
      if (effect.type !== 'choose' || this.crashed) continue;
      const value = this.host.choose(this, effect.options, effect.weights);
      // its host may let it crash instead
      if (!this.crashed) this.receive({ type: 'chosen', value } as EventObject);
    }
  }
}

/** How a node learns what its machine does. */
interface Listener {
  readonly emit: (emitted: EventObject) => void;
  readonly fail: (error: unknown) => void;
}

/**
 * The machine with a listener: a subscription to an actor, and to what it emits, costs as much as
 * half a step.
 */
class ListenedMachine implements Logic {
  #scope: Scope | undefined;

  constructor(
    private readonly machine: AnyStateMachine,
    private readonly id: NodeId,
    private readonly listener: Listener,
  ) {}

  getInitialSnapshot(scope: Scope, input: Json): AnyMachineSnapshot {
    return inOrder(this.machine.getInitialSnapshot(this.#listened(scope), input));
  }

  getPersistedSnapshot(snapshot: AnyMachineSnapshot): ReturnType<Logic['getPersistedSnapshot']> {
    return this.machine.getPersistedSnapshot(snapshot);
  }

  transition(snapshot: AnyMachineSnapshot, event: EventObject, scope: Scope): AnyMachineSnapshot {
    try {
      return inOrder(this.machine.transition(snapshot, event, this.#listened(scope)));
    } catch (error) {
      const isChange = changesFrozen(error);
      this.listener.fail(
        isChange ? impureStep(this.machine, this.id, snapshot, event, error) : error,
      );
      return snapshot;
    }
  }

  /** An actor has the same scope for its whole life. */
  #listened(scope: Scope): Scope {
    this.#scope ??= { ...scope, emit: this.listener.emit };
    return this.#scope;
  }
}
