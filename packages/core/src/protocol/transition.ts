import {
  type AnyActorScope,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  createActor,
  type EventObject,
  type StateValue,
} from 'xstate';
import { inOrder } from './regions.js';
import { stateNodes } from './state-nodes.js';

export interface ExecutedAction {
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

export function historyIds(snapshot: AnyMachineSnapshot): Record<string, readonly string[]> {
  const ids: Record<string, readonly string[]> = {};
  for (const [key, nodes] of Object.entries(snapshot.historyValue))
    if (nodes) ids[key] = nodes.map((node) => node.id).sort();
  return ids;
}

/**
 * By machine: a snapshot for each state value and history. XState takes longer to resolve a state
 * than to take a step in it.
 */
const configurations = new WeakMap<AnyStateMachine, Map<string, AnyMachineSnapshot>>();

/** What a snapshot is made of. */
interface Resolvable {
  readonly value: StateValue;
  readonly context: Readonly<Record<string, unknown>>;
  /** By history state: the ids of the state nodes to return to. */
  readonly history: Readonly<Record<string, readonly string[]>>;
}

/** A snapshot of `machine` in this state, with some context. */
export function snapshotFor(
  machine: AnyStateMachine,
  { value, context, history }: Resolvable,
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
