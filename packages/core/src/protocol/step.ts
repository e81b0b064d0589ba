/**
 * A step of one node as a function: a state and an event in, the next state and the effects out.
 *
 * The explorer takes the steps of millions of worlds in any order, and goes back; an actor has one
 * present, and timers of its own. XState's `transition` is such a function, but its snapshots hold no
 * timers, its actions may do anything, and data that JSON loses would make two states one. So here
 * timers are data of the state, what a node does is a list of effects in the machine's order, and its
 * data is checked and frozen. XState decides what a machine does; the compiled steps, which are
 * faster, are compared with these.
 */
import {
  type AnyMachineSnapshot,
  type AnyStateMachine,
  type EventObject,
  initialTransition,
  log,
  type StateValue,
} from 'xstate';
import { badInput, ConclaveError } from '../base/error.js';
import { contractError, machineError, timerArmedTwice, timerWithoutId } from './contract-errors.js';
import { type Emitted, emittedEffect, notAnEffect } from './effects.js';
import { handles, unhandledEvent } from './handles.js';
import type { Effect, Json, Message, NodeId } from './node.js';
import {
  changesFrozen,
  copyOf,
  differenceOf,
  frozenData,
  impure,
  placeOf,
  plainCure,
  present,
} from './plain-data.js';
import { enterUserCode, leaveUserCode } from './purity.js';
import { inOrder, stateNodes } from './regions.js';
import { type ExecutedAction, historyIds, snapshotFor, transition } from './transition.js';

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
  /**
   * Armed timers in the order they were armed; XState's snapshots do not hold them. `id` names one
   * within its node; it raises `event` after `delay` milliseconds.
   */
  readonly timers: readonly {
    readonly id: string;
    readonly delay: number;
    readonly event: EventObject;
  }[];
  readonly status: string;
  /**
   * The history variable of the node, see {@link History}; not to be confused with the history
   * states above.
   */
  readonly recorded?: Json;
}

export type Timer = LocalState['timers'][number];

export interface Step {
  readonly state: LocalState;
  /** What it makes the host do, in the machine's order. */
  readonly effects: readonly (
    | Effect<Message, Message>
    | { readonly type: 'start'; readonly timer: LocalState['timers'][number] }
    | { readonly type: 'cancel'; readonly timer: string }
  )[];
}

export type HostEffect = Step['effects'][number];

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

/** The steps of XState, on what `keep` makes of the data that a machine yields. */
const stepsWith = (keep: Keep) => ({
  start(machine: AnyStateMachine, id: NodeId, input: Json): Step {
    const data = frozen(id, input, 'input');
    const [snapshot, actions] = attempt(id, () => initialTransition(machine, data));
    return settle(id, snapshot, actions, [], keep);
  },
  step(machine: AnyStateMachine, id: NodeId, state: LocalState, event: EventObject): Step {
    const snapshot = snapshotOf(machine, state);
    const reached = attempt(
      id,
      () => (handles(machine, snapshot, event) ? transition(machine, snapshot, event) : undefined),
      { machine, snapshot, event },
    );
    if (!reached) throw unhandledEvent(id, state.value, event);
    const [next, actions] = reached;
    return settle(id, next, actions, state.timers, keep);
  },
  fire(machine: AnyStateMachine, id: NodeId, state: LocalState, timer: string): Step {
    const armed = state.timers.find(({ id }) => id === timer);
    if (!armed) throw badInput(`Node ${id} has no armed timer '${timer}'`);
    const { event } = armed;
    const snapshot = snapshotOf(machine, state);
    const underway = { machine, snapshot, event };
    const [next, actions] = attempt(id, () => transition(machine, snapshot, event), underway);
    const others = state.timers.filter((other) => other !== armed);
    return settle(id, next, actions, others, keep);
  },
});

/** The first state of node `id`, and the effects of its entry actions. */
export function start(machine: AnyStateMachine, id: NodeId, input: Json): Step {
  return checkedSteps.start(machine, id, input);
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
): Step {
  return checkedSteps.step(machine, id, state, event);
}

/**
 * Fires the armed timer `timer` of node `id`. A timer that no state waits for has no effect, as in
 * XState.
 */
export function fire(machine: AnyStateMachine, id: NodeId, state: LocalState, timer: string): Step {
  return checkedSteps.fire(machine, id, state, timer);
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

/** The state that was reached, and what its actions make the host do; `armed`: the timers so far. */
function settle(
  id: NodeId,
  reached: AnyMachineSnapshot,
  actions: readonly ExecutedAction[],
  armed: readonly Timer[],
  keep: Keep,
): Step {
  if (reached.status === 'error') throw machineError(id, reached.error);
  const snapshot = inOrder(reached);
  if (Object.keys(snapshot.children).length > 0)
    throw contractError(id, 'spawned an actor; a node is one machine');
  const effects: HostEffect[] = [];
  let timers = armed;
  for (const action of actions) {
    const effect = effectOf(id, action, keep);
    if (!effect) continue;
    if (effect.type === 'start') {
      if (timers.some((timer) => timer.id === effect.timer.id))
        throw timerArmedTwice(id, effect.timer.id);
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
  const context = keep(id, present(snapshot.context), 'context');
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
      if (timer === undefined) throw timerWithoutId(id, event, delay);
      return keep(id, { type: 'start', timer: { id: timer, delay, event } }, 'timer');
    }
    case 'xstate.cancel':
      // XState's own shape
      return { type: 'cancel', timer: (action.params as { sendId: string }).sendId };
    case 'xstate.log':
      return undefined;
    default:
      throw contractError(
        id,
        `runs the action '${action.type}'; a node acts by assign, emit, raise and cancel only`,
      );
  }
}

function checkedEffect(id: NodeId, emitted: unknown, keep: Keep): Emitted {
  const effect = emittedEffect(emitted);
  if (!effect) throw notAnEffect(id, emitted);
  return keep(id, effect, effect.type);
}

/** What is done with the data that a machine yields: {@link frozen}, or nothing. */
type Keep = <T>(id: NodeId, value: T, path: string) => T;

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

const checkedSteps = stepsWith(frozen);

/**
 * The same steps, for results that are compared with data known to be plain: they need not be
 * checked and frozen again.
 */
export const uncheckedSteps = {
  ...stepsWith((_, value) => value),
  takes,
  unchecked: true,
} as const;

/** The step that is being taken. */
interface Underway {
  readonly machine: AnyStateMachine;
  readonly snapshot: AnyMachineSnapshot;
  readonly event: EventObject;
}

/** What `run`, the code of node `id`, returns; what it throws becomes the error of the node. */
function attempt<T>(id: NodeId, run: () => T, underway?: Underway): T {
  const before = enterUserCode(`Node ${id}`);
  try {
    return run();
  } catch (error) {
    throw underway && changesFrozen(error)
      ? impureStep(underway.machine, id, underway.snapshot, underway.event, error)
      : machineError(id, error);
  } finally {
    leaveUserCode(before);
  }
}

/**
 * A snapshot belongs to its machine and its implementations: one of another machine cannot be used.
 */
function snapshotOf(machine: AnyStateMachine, state: Remembering): AnyMachineSnapshot {
  const known = state[snapshotKey];
  if (known?.machine === machine) return known;
  return { ...snapshotFor(machine, state), context: state.context };
}

/**
 * The error for a machine that changed frozen data on `event`. The step is repeated to find the
 * action that did it, and what it changed.
 */
export function impureStep(
  machine: AnyStateMachine,
  id: NodeId,
  snapshot: AnyMachineSnapshot,
  event: EventObject,
  cause: Error,
): ConclaveError {
  const { value } = snapshot;
  const copied = { context: copyOf(snapshot.context), event: copyOf(event) };
  ignoringErrors(() =>
    transition(machine, machine.resolveState({ value, context: copied.context }), copied.event),
  );
  const what = differenceOf({ context: snapshot.context, event }, copied) ?? cause.message;
  let last: string | undefined;
  const marked = withMarks(machine, (name) => {
    last = name;
  });
  ignoringErrors(() =>
    transition(marked, marked.resolveState({ value, context: snapshot.context }), event),
  );
  const guard = /guard '([^']+)'/.exec(cause.message)?.[1];
  const who = guard ? `, by its guard '${guard}',` : last ? `, by its action '${last}',` : '';
  return impure(`Node ${id}, taking '${event.type}'${who}`, `${what}${placeOf(cause)}`, cause);
}

function ignoringErrors(run: () => unknown): void {
  try {
    run();
  } catch {
    // It is known to fail; only what it does before that matters.
  }
}

/** A copy of `machine` that reports the name of each action before running it. */
function withMarks(machine: AnyStateMachine, tell: (name: string) => void): AnyStateMachine {
  const marked = machine.provide({});
  const all = <A>(actions: readonly A[]) =>
    actions.flatMap((action) => [log(() => tell(nameOf(action))), action]);
  for (const node of stateNodes(marked)) {
    node.entry = all(node.entry);
    node.exit = all(node.exit);
    for (const transition of [...[...node.transitions.values()].flat(), ...(node.always ?? [])])
      transition.actions = all(transition.actions);
  }
  return marked;
}

const nameOf = (action: unknown): string =>
  typeof action === 'string'
    ? action
    : typeof action === 'object' && action !== null && 'type' in action
      ? String(action.type)
      : 'inline';
