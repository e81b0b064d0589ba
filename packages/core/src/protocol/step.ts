import {
  type AnyActorScope,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  createActor,
  type EventObject,
  initialTransition,
  type StateValue,
} from 'xstate';
import { badInput, ConclaveError } from '../base/error.js';
import { type Emitted, emittedEffect, foreign } from './effects.js';
import { handles, unhandled } from './handles.js';
import { impureStep } from './impure-step.js';
import type { Choose, Json, Message, NodeId, Notify, Send } from './node.js';
import { changesFrozen, frozenData, plainCure } from './plain-data.js';
import { answered, asking } from './purity.js';
import { inOrder } from './regions.js';
import { stateNodes } from './state-nodes.js';

/** An armed timer: `id` names it within its node; it raises `event` after `delay` milliseconds. */
export interface Timer {
  readonly id: string;
  readonly delay: number;
  readonly event: EventObject;
}

/** What one step makes the host do, in the machine's order. */
export type HostEffect =
  | Send
  | Notify<Message>
  | Choose
  | { readonly type: 'start'; readonly timer: Timer }
  | { readonly type: 'cancel'; readonly timer: string };

/**
 * The state of one node between steps, as plain data: the explorer and the models keep it instead
 * of an actor.
 */
export interface LocalState {
  readonly value: StateValue;
  readonly context: Readonly<Record<string, Json>>;
  /** Sorted as strings. */
  readonly tags: readonly string[];
  /** History states: the ids of the state nodes to return to, sorted. */
  readonly history: Readonly<Record<string, readonly string[]>>;
  /** Armed timers in the order they were armed; XState's snapshots do not hold them. */
  readonly timers: readonly Timer[];
  readonly status: string;
  /**
   * The history variable of the node, see {@link History}; not to be confused with the history
   * states above.
   */
  readonly recorded?: Json;
}

export interface Step {
  readonly state: LocalState;
  readonly effects: readonly HostEffect[];
}

/**
 * Where a state keeps XState's snapshot of it: hidden, and not in a WeakMap, whose short-lived
 * entries are slow to collect.
 */
const snapshotKey = Symbol('snapshot');
type Remembering = LocalState & { readonly [snapshotKey]?: AnyMachineSnapshot };

function remember(state: LocalState, snapshot: AnyMachineSnapshot): void {
  if (Object.isExtensible(state))
    Object.defineProperty(state, snapshotKey, { value: snapshot, configurable: true });
}

/** `state` with this history variable. */
export function withRecorded(state: Remembering, recorded: Json): LocalState {
  const next: LocalState = { ...state, recorded };
  const snapshot = state[snapshotKey];
  if (snapshot) remember(next, snapshot);
  return next;
}

/** The first state of node `id`, and the effects of its entry actions. */
export function start(
  machine: AnyStateMachine,
  id: NodeId,
  input: Json,
  keep: Keep = frozen,
): Step {
  const data = frozen(id, input, 'input');
  const [snapshot, actions] = attempt(id, () => initialTransition(machine, data));
  return settle(id, snapshot, actions, [], keep);
}

/**
 * One step of one node: the pure counterpart of sending `event` to its actor.
 *
 * @throws {ConclaveError} `unhandled` when nothing takes `event`; `bad-protocol` when the machine
 * breaks the node contract.
 */
export function step(
  machine: AnyStateMachine,
  id: NodeId,
  state: LocalState,
  event: EventObject,
  keep: Keep = frozen,
): Step {
  const snapshot = snapshotOf(machine, state);
  const reached = attempt(
    id,
    () => (handles(machine, snapshot, event) ? transition(machine, snapshot, event) : undefined),
    {
      machine,
      snapshot,
      event,
    },
  );
  if (!reached) throw unhandled(id, state.value, event);
  const [next, actions] = reached;
  return settle(id, next, actions, state.timers, keep);
}

/**
 * Whether the current state takes an event like `event`.
 * @throws {ConclaveError} for a guard that fails.
 */
export function takes(
  machine: AnyStateMachine,
  state: LocalState,
  event: EventObject,
  id: NodeId = machine.id,
): boolean {
  const snapshot = snapshotOf(machine, state);
  return attempt(id, () => handles(machine, snapshot, event), { machine, snapshot, event });
}

/**
 * Fires the armed timer `timer` of node `id`. A timer that no state waits for has no effect, as in
 * XState.
 */
export function fire(
  machine: AnyStateMachine,
  id: NodeId,
  state: LocalState,
  timer: string,
  keep: Keep = frozen,
): Step {
  const armed = state.timers.find(({ id }) => id === timer);
  if (!armed) throw badInput(`Node ${id} has no armed timer '${timer}'`);
  const { event } = armed;
  const snapshot = snapshotOf(machine, state);
  const [next, actions] = attempt(id, () => transition(machine, snapshot, event), {
    machine,
    snapshot,
    event,
  });
  return settle(
    id,
    next,
    actions,
    state.timers.filter((other) => other !== armed),
    keep,
  );
}

interface ExecutedAction {
  readonly type: string;
  readonly params?: unknown;
}

export type Inert = Omit<AnyActorScope, 'actionExecutor'>;
const scopes = new WeakMap<AnyStateMachine, Inert>();

/**
 * XState's own `transition`, which makes an actor for each call; here one serves all steps of a
 * machine, since a node's actions do not use it.
 */
export function transition(
  machine: AnyStateMachine,
  snapshot: AnyMachineSnapshot,
  event: EventObject,
): [AnyMachineSnapshot, ExecutedAction[]] {
  const actions: ExecutedAction[] = [];
  const scope = inertScope(machine);
  return [
    machine.transition(snapshot, event, {
      ...scope,
      actionExecutor: (action) => actions.push(action),
    }),
    actions,
  ];
}

/** What stands for the actor of a machine whose steps are pure. */
export function inertScope(machine: AnyStateMachine): Inert {
  const known = scopes.get(machine);
  if (known) return known;
  const self = createActor(machine);
  const ignore = () => {};
  const scope = {
    self,
    id: '',
    sessionId: '',
    system: self.system,
    logger: ignore,
    defer: ignore,
    emit: ignore,
    stopChild: ignore,
  };
  scopes.set(machine, scope);
  return scope;
}

function settle(
  id: NodeId,
  reached: AnyMachineSnapshot,
  actions: readonly ExecutedAction[],
  armed: readonly Timer[],
  keep: Keep,
): Step {
  if (reached.status === 'error') throw failed(id, reached.error);
  const snapshot = inOrder(reached);
  if (Object.keys(snapshot.children).length > 0)
    throw broken(id, 'spawned an actor; a node is one machine');
  const effects: HostEffect[] = [];
  let timers = armed;
  for (const action of actions) {
    const effect = effectOf(id, action, keep);
    if (!effect) continue;
    if (effect.type === 'start') {
      if (timers.some((timer) => timer.id === effect.timer.id)) throw rearmed(id, effect.timer.id);
      timers = [...timers, effect.timer];
    } else if (effect.type === 'cancel') {
      const left = timers.filter((timer) => timer.id !== effect.timer);
      if (left.length === timers.length) continue;
      timers = left;
    }
    effects.push(effect);
  }
  if (snapshot.status !== 'active') {
    for (const timer of timers) effects.push({ type: 'cancel', timer: timer.id });
    timers = [];
  }
  const context = keep(id, snapshot.context, 'context');
  const state: LocalState = {
    value: snapshot.value,
    context,
    tags: [...snapshot.tags].sort(), // XState's order depends on the path to this state
    history: historyIds(snapshot),
    timers,
    status: snapshot.status,
  };
  // otherwise it contains −0
  if (keep === frozen && context === snapshot.context) remember(state, snapshot);
  return { state, effects };
}

function effectOf(id: NodeId, action: ExecutedAction, keep: Keep): HostEffect | undefined {
  switch (action.type) {
    case 'xstate.emit':
      // XState's own shape of this action
      return checkedEffect(id, (action.params as { event: unknown }).event, keep);
    case 'xstate.raise': {
      const {
        event,
        id: timer,
        delay,
      } = action.params as { event: EventObject; id?: string; delay?: number }; // XState's own shape
      if (delay === undefined) return undefined; // it was taken in this same step
      if (timer === undefined) throw unnamed(id, event, delay);
      return keep(id, { type: 'start', timer: { id: timer, delay, event } }, 'timer');
    }
    case 'xstate.cancel':
      // XState's own shape
      return { type: 'cancel', timer: (action.params as { sendId: string }).sendId };
    case 'xstate.log':
      return undefined;
    default:
      throw broken(
        id,
        `runs the action '${action.type}'; a node acts by assign, emit, raise and cancel only`,
      );
  }
}

function checkedEffect(id: NodeId, emitted: unknown, keep: Keep): Emitted {
  const effect = emittedEffect(emitted);
  if (!effect) throw foreign(id, emitted);
  return keep(id, effect, effect.type);
}

/** What is done with the data that a machine yields: {@link frozen}, or nothing. */
type Keep = <T>(id: NodeId, value: T, path: string) => T;

/**
 * For results that are compared with data known to be plain: they need not be checked and frozen
 * again.
 */
export const unchecked: Keep = (_, value) => value;

/**
 * Data that is not plain would be compared wrongly or lost between worlds; data that changes later
 * would change earlier states.
 */
export const frozen = <T>(id: NodeId, value: T, path: string): T =>
  frozenData(
    value,
    path,
    (bad) => new ConclaveError('bad-protocol', `Node ${id}: ${bad} is not plain data`, plainCure),
  );

/** The step that is being taken. */
interface Underway {
  readonly machine: AnyStateMachine;
  readonly snapshot: AnyMachineSnapshot;
  readonly event: EventObject;
}

/** What `run`, the code of node `id`, returns; what it throws becomes the error of the node. */
function attempt<T>(id: NodeId, run: () => T, underway?: Underway): T {
  const before = asking(`Node ${id}`);
  try {
    return run();
  } catch (error) {
    throw underway && changesFrozen(error)
      ? impureStep(underway.machine, id, underway.snapshot, underway.event, error, transition)
      : failed(id, error);
  } finally {
    answered(before);
  }
}

/** The error for a machine that threw `cause`. */
export const failed = (id: NodeId, cause: unknown): ConclaveError =>
  cause instanceof ConclaveError ? cause : broken(id, 'failed', cause);

/** The error for a machine that breaks the node contract while running. */
export function broken(id: NodeId, what: string, cause?: unknown): ConclaveError {
  const why =
    cause === undefined ? '' : `: ${cause instanceof Error ? cause.message : String(cause)}`;
  return new ConclaveError(
    'bad-protocol',
    `Node ${id} ${what}${why}`,
    '',
    cause === undefined ? {} : { cause },
  );
}

/** The error for a delayed raise that XState would give a random id. */
export function unnamed(id: NodeId, { type }: EventObject, delay: number): ConclaveError {
  return broken(id, `raises '${type}' after ${delay} ms without an id; give the delayed raise one`);
}

/** The error for a message to a node that is no neighbour. */
export function astray(
  id: NodeId,
  { to, message }: Pick<Send, 'to' | 'message'>,
  network: string,
): ConclaveError {
  return broken(id, `sends '${message.type}' to ${to}, to which it has no channel in '${network}'`);
}

export function rearmed(id: NodeId, timer: string): ConclaveError {
  return broken(id, `arms the timer '${timer}' while it is still armed; cancel it first`);
}

function historyIds(snapshot: AnyMachineSnapshot): Record<string, readonly string[]> {
  const ids: Record<string, readonly string[]> = {};
  for (const [key, nodes] of Object.entries(snapshot.historyValue))
    if (nodes) ids[key] = nodes.map((node) => node.id).sort();
  return ids;
}

/**
 * A snapshot belongs to its machine and its implementations: one of another machine cannot be used.
 */
function snapshotOf(machine: AnyStateMachine, state: Remembering): AnyMachineSnapshot {
  const known = state[snapshotKey];
  if (known?.machine === machine) return known;
  return { ...configured(machine, state), context: state.context };
}

/**
 * By machine: a snapshot for each state value and history. XState takes longer to resolve a state
 * than to take a step in it.
 */
const configurations = new WeakMap<AnyStateMachine, Map<string, AnyMachineSnapshot>>();

/** A snapshot of `machine` in this state, with some context. */
function configured(
  machine: AnyStateMachine,
  { value, context, history }: LocalState,
): AnyMachineSnapshot {
  let known = configurations.get(machine);
  if (!known) {
    known = new Map();
    configurations.set(machine, known);
  }
  const key = JSON.stringify([value, history]);
  const before = known.get(key);
  if (before) return before;
  const nodes = stateNodes(machine); // XState's own look-up by id fails for ids with dots
  const historyValue = Object.fromEntries(
    Object.entries(history).map(([key, ids]) => [key, nodes.filter(({ id }) => ids.includes(id))]),
  );
  const snapshot = inOrder(machine.resolveState({ value, context, historyValue }));
  known.set(key, snapshot);
  return snapshot;
}
