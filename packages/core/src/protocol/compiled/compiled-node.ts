import type {
  AnyMachineSnapshot,
  AnyStateMachine,
  EventObject,
  InspectionEvent,
  StateValue,
} from 'xstate';
import type { ConclaveError } from '../../base/error.js';
import type { Topology } from '../../topology/topology.js';
import { NodeActor } from '../actor.js';
import { machineError } from '../contract-errors.js';
import { duringStep, emittedEffect, notAnEffect } from '../effects.js';
import { unhandledEvent } from '../handles.js';
import type { Json, NodeId, Stimulus } from '../node.js';
import { causeOf } from '../node-step.js';
import { NodeTimers, type TimerClock } from '../node-timers.js';
import type { NodeView } from '../property.js';
import { type Protocol, roleOf } from '../protocol.js';
import { type HostEffect, type LocalState, type Timer, uncheckedSteps } from '../step.js';
import { type CompiledMachine, compile, type PlainState, type PlainStep } from './compile.js';
import type { PlainEffect } from './situation.js';

const noEffects: readonly HostEffect[] = [];

/**
 * Node `id` on compiled steps; an actor where its machine is not compiled, where it logs, which
 * compiled steps do not, and where the host inspects it.
 */
export function liveNode(
  protocol: Protocol,
  topology: Topology,
  id: NodeId,
  host: LiveHost,
): LiveNode {
  const { uncompiled, logs } = compile(roleOf(protocol, id, topology).machine);
  const runsActor = uncompiled !== undefined || logs || host.inspect !== undefined;
  return new (runsActor ? NodeActor : CompiledNode)(protocol, topology, id, host);
}

/** One node of a protocol on compiled steps: what a {@link NodeActor} does, without an actor. */
class CompiledNode implements LiveNode {
  readonly role: string;
  readonly #machine: AnyStateMachine;
  readonly #compiled: CompiledMachine;
  readonly #timers: NodeTimers;
  readonly #first: PlainStep;
  #state: PlainState;
  #outbox: HostEffect[] = [];
  /** How the machine broke the node contract in the effects of a step. */
  #failure: ConclaveError | undefined;
  #isStopped = false;

  constructor(
    protocol: Protocol,
    topology: Topology,
    readonly id: NodeId,
    private readonly host: LiveHost,
  ) {
    const { name, machine, input } = roleOf(protocol, id, topology);
    this.role = name;
    this.#machine = machine;
    this.#compiled = compile(machine);
    this.#timers = new NodeTimers(id, host.clock, {
      changed: (effect) => this.#outbox.push(effect),
      expired: (timer) => this.#fire(timer),
      fail: (error) => {
        this.#failure ??= error;
      },
    });
    this.#first = this.#firstStep(input(id, topology));
    this.#state = this.#first.state;
  }

  get value(): StateValue {
    return this.#state.configuration.value;
  }

  get context(): Readonly<Record<string, unknown>> {
    return this.#state.context;
  }

  get tags(): ReadonlySet<string> {
    return this.#state.configuration.tagSet;
  }

  get timers(): readonly string[] {
    return this.#timers.armed;
  }

  start(): void {
    this.#settle(this.#first, { kind: 'start' }, undefined);
  }

  receive(event: EventObject): void {
    if (this.#isStopped) return;
    const before = this.#state;
    const stimulus: Stimulus = { kind: 'event', event };
    let taken: PlainStep | undefined;
    try {
      taken = this.#compiled.step(before, event);
    } catch (error) {
      throw this.#failed(error, before, stimulus, () => {
        uncheckedSteps.step(this.#machine, this.id, local(before, []), event);
      });
    }
    if (!taken) throw unhandledEvent(this.id, before.configuration.value, event);
    this.#settle(taken, stimulus, before);
  }

  takes(event: EventObject): boolean {
    return this.#compiled.takes(this.#state, event);
  }

  stop(): void {
    this.#isStopped = true;
    this.#timers.cancelAll(undefined);
    this.#outbox = [];
  }

  #firstStep(input: Json): PlainStep {
    try {
      return this.#compiled.start(input);
    } catch (error) {
      throw this.#failed(error, undefined, { kind: 'start' }, () => {
        uncheckedSteps.start(this.#machine, this.id, input);
      });
    }
  }

  #fire(timer: Timer): void {
    const before = this.#state;
    const stimulus: Stimulus = { kind: 'timeout', timer: timer.id };
    let taken: PlainStep;
    try {
      taken = this.#compiled.fire(before, timer.event);
    } catch (error) {
      throw this.#failed(error, before, stimulus, () => {
        uncheckedSteps.fire(this.#machine, this.id, local(before, [timer]), timer.id);
      });
    }
    this.#settle(taken, stimulus, before);
  }

  /** The error of a step as XState has it, which takes the step again. */
  #failed(
    error: unknown,
    before: PlainState | undefined,
    stimulus: Stimulus,
    again: () => void,
  ): unknown {
    let cause = error;
    try {
      again();
    } catch (byXState) {
      cause = byXState;
    }
    return duringStep(machineError(this.id, cause), before?.configuration.value, causeOf(stimulus));
  }

  #settle(taken: PlainStep, stimulus: Stimulus, before: PlainState | undefined): void {
    this.#state = taken.state;
    const effects = this.#performed(taken);
    try {
      if (this.#failure) throw this.#failure;
      this.host.stepped(this, stimulus, before, effects);
    } catch (error) {
      throw duringStep(error, before?.configuration.value, causeOf(stimulus));
    }
    for (const effect of effects) {
      if (effect.type !== 'choose' || this.#isStopped) continue;
      const value = this.host.choose(this, effect.options, effect.weights);
      this.receive({ type: 'chosen', value } as EventObject); // with the field of its own
    }
  }

  /** Arms and cancels the timers of a step; a node that is done cancels those that are left. */
  #performed({ state, effects: planned }: PlainStep): readonly HostEffect[] {
    const isDone = state.configuration.status !== 'active';
    if (planned.length === 0 && !isDone) return noEffects;
    for (const effect of planned) this.#perform(effect);
    if (isDone) this.#timers.cancelAll(undefined);
    const effects = this.#outbox;
    this.#outbox = [];
    return effects;
  }

  #perform(planned: PlainEffect): void {
    if (planned.type === 'emit') {
      const emitted = emittedEffect(planned.event);
      if (emitted) this.#outbox.push(emitted);
      else this.#failure ??= notAnEffect(this.id, planned.event);
    } else if (planned.type === 'cancel') this.#timers.cancel(undefined, planned.timer);
    else {
      const { event, delay, id } = planned.timer;
      this.#timers.schedule(undefined, undefined, event, delay, id);
    }
  }
}

/** A state as the steps of XState take it; its context is checked there where it matters. */
export function local(
  { configuration: { value, tags, history, status }, context }: PlainState,
  timers: readonly Timer[],
): LocalState {
  return { value, context: context as LocalState['context'], tags, history, timers, status };
}

/** A node as its host runs it: on compiled steps, or as an XState actor. */
export interface LiveNode extends Pick<NodeView, 'id' | 'role' | 'value' | 'context' | 'tags'> {
  /** The ids of the armed timers, in the order they were armed. */
  readonly timers: readonly string[];
  /** Runs the entry actions. */
  start(): void;
  /**
   * @throws {ConclaveError} `unhandled` when nothing in the current state takes `event`;
   * `bad-protocol` when the machine fails.
   */
  receive(event: EventObject): void;
  /** Whether the current state takes a command or message like `event`. */
  takes(event: EventObject): boolean;
  /** Ends it, and clears its timers. */
  stop(): void;
}

/** What a node is after a step; a {@link LiveNode} goes on. */
export type Moment = Pick<LiveNode, 'id' | 'role' | 'value' | 'context' | 'tags' | 'timers'>;

export const momentOf = ({ id, role, value, context, tags, timers }: LiveNode): Moment => ({
  id,
  role,
  value,
  context,
  tags,
  timers,
});

/** The state of a node before a step, as what runs it keeps it. */
export type StateBefore = PlainState | AnyMachineSnapshot;

/** How a {@link LiveNode} reaches its host. */
export interface LiveHost {
  readonly clock: TimerClock;
  /** Called after each step; `before` is undefined at a start. */
  stepped(
    node: LiveNode,
    stimulus: Stimulus,
    before: StateBefore | undefined,
    effects: readonly HostEffect[],
  ): void;
  /** XState's own inspection, which only an actor has. */
  readonly inspect?: (event: InspectionEvent) => void;
  /** Picks one of the options of a `choose` effect. */
  choose(node: LiveNode, options: readonly Json[], weights?: readonly number[]): Json;
}

export const valueBefore = (before: StateBefore): StateValue =>
  'configuration' in before ? before.configuration.value : before.value;
