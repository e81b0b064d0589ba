import { type AnyActorRef, type AnyMachineSnapshot, type AnyStateMachine, createActor, type EventObject, type StateValue } from 'xstate';
import type { Topology } from '../topology/topology.js';
import { handles, unhandled } from './handles.js';
import type { Json, NodeId } from './node.js';
import type { NodeView } from './property.js';
import { type Protocol, roleOf } from './protocol.js';
import { emittedEffect, failed, foreign, type HostEffect, rearmed, requireOptions, unnamed } from './step.js';

/** What XState and the nodes need of a clock; times in milliseconds. */
export interface TimerClock {
  /** `timer` is what its node calls it: for a clock that is told by name which timer to fire. */
  setTimeout(fire: () => void, delay: number, timer?: string): unknown;
  clearTimeout(handle: unknown): void;
}

/** What the machine was asked to react to: its start or restart, an event, or one of its own timers. */
export type Stimulus =
  | { readonly kind: 'start' | 'restart' }
  | { readonly kind: 'event'; readonly event: EventObject }
  | { readonly kind: 'timeout'; readonly timer: string };

/** How a {@link NodeActor} reaches its host. */
export interface Host {
  readonly clock: TimerClock;
  /** Called after each step; `before` is undefined at a start or restart. */
  stepped(node: NodeActor, stimulus: Stimulus, before: AnyMachineSnapshot | undefined, effects: readonly HostEffect[]): void;
  /** Picks one of the options of a `choose` effect. */
  choose(node: NodeActor, options: readonly Json[]): Json;
}

const noTags: ReadonlySet<string> = new Set();
const noEffects: readonly HostEffect[] = [];

/** One node of a protocol as a live XState actor: what the simulation, the embedding and the replay run. */
export class NodeActor implements NodeView {
  readonly role: string;
  crashed = false;
  readonly #machine: AnyStateMachine;
  readonly #stable: readonly string[];
  readonly #input: Json;
  /** By timer, what the host's clock calls it. */
  readonly #armed = new Map<string, unknown>();
  #actor: AnyActorRef;
  #snapshot: AnyMachineSnapshot;
  #outbox: HostEffect[] = [];
  /** What the machine has emitted that is no effect. */
  #foreign: EventObject | undefined;

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
    return [...this.#armed.keys()];
  }

  /** Runs the entry actions. */
  start(): void {
    this.#begin('start');
  }

  /** @throws {ConclaveError} `unhandled` when nothing in the current state takes `event`; `bad-protocol` when the machine fails. */
  receive(event: EventObject): void {
    const before = this.#snapshot;
    this.#actor.send(event);
    // An event that nothing takes leaves everything as it was: only then is it worth asking whether something was meant to take it.
    if (this.#actor.getSnapshot() === before && this.#outbox.length === 0 && !handles(this.#machine, before, event))
      throw unhandled(this.id, before.value, event);
    this.#settle({ kind: 'event', event }, before);
  }

  /** Whether the current state takes a command or message like `event`. */
  takes(event: EventObject): boolean {
    return !this.crashed && handles(this.#machine, this.#snapshot, event);
  }

  /** Stops for good, or until {@link restart}; timers die with it. */
  crash(): void {
    this.crashed = true;
    this.stop();
  }

  /** Back from a crash: the initial state, plus what the role declares `stable`. */
  restart(): void {
    const kept = Object.fromEntries(this.#stable.map((field) => [field, this.#snapshot.context[field] as Json])); // contexts are checked to be plain data
    this.crashed = false;
    this.#actor = this.#create({ ...(this.#input as Record<string, Json>), ...kept }); // a role with stable fields takes an object as input
    this.#begin('restart');
  }

  /** Ends the actor and clears its timers. */
  stop(): void {
    this.#actor.stop(); // cancels its timers too
    this.#outbox = [];
  }

  #create(input: Json): AnyActorRef {
    const actor = createActor(this.#machine, { id: this.id, input });
    Object.assign(actor.system.scheduler, this.#scheduler);
    // Before the start, or the sends of entry actions are lost. A listener must not throw: XState would report it too late.
    actor.on('*', (emitted: EventObject) => {
      const effect = emittedEffect(emitted);
      if (effect) this.#outbox.push(effect);
      else this.#foreign = emitted;
    });
    actor.subscribe({ error: () => {} }); // #settle reports it, at once
    return actor;
  }

  #begin(kind: 'start' | 'restart'): void {
    this.#actor.start();
    this.#settle({ kind }, undefined);
  }

  #settle(stimulus: Stimulus, before: AnyMachineSnapshot | undefined): void {
    const snapshot: AnyMachineSnapshot = this.#actor.getSnapshot();
    this.#snapshot = snapshot;
    const effects = this.#outbox.length === 0 ? noEffects : this.#outbox;
    if (effects !== noEffects) this.#outbox = [];
    if (snapshot.status === 'error') throw failed(this.id, snapshot.error);
    if (this.#foreign) throw foreign(this.id, this.#foreign);
    for (const effect of effects) if (effect.type === 'choose') requireOptions(this.id, effect);
    this.host.stepped(this, stimulus, before, effects);
    for (const effect of effects)
      if (effect.type === 'choose') this.receive({ type: 'chosen', value: this.host.choose(this, effect.options) } as EventObject);
  }

  /** Takes the place of XState's own scheduler, which neither tells of timers nor refuses one without a name or one armed twice. */
  readonly #scheduler: Pick<AnyActorRef['system']['scheduler'], 'schedule' | 'cancel' | 'cancelAll'> = {
    schedule: (_source, _target, event, delay, id) => {
      if (id === undefined) throw unnamed(this.id, event, delay);
      if (this.#armed.has(id)) throw rearmed(this.id, id);
      const fire = () => {
        const before = this.#snapshot;
        this.#armed.delete(id);
        this.#actor.send(event);
        this.#settle({ kind: 'timeout', timer: id }, before);
      };
      this.#armed.set(id, this.host.clock.setTimeout(fire, delay, id));
      this.#outbox.push({ type: 'start', timer: { id, delay, event } });
    },
    cancel: (_source, id) => {
      if (!this.#armed.has(id)) return;
      this.host.clock.clearTimeout(this.#armed.get(id));
      this.#armed.delete(id);
      this.#outbox.push({ type: 'cancel', timer: id });
    },
    cancelAll: (source) => {
      for (const id of this.timers) this.#scheduler.cancel(source, id);
    },
  };
}
