import {
  type AnyActorScope,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  createActor,
  type EventObject,
  type StateValue,
} from 'xstate';
import { inOrder, stateNodes } from './regions.js';

export interface ExecutedAction {
  readonly type: string;
  readonly params?: unknown;
}

/** What stands for the actor of a machine whose steps are pure. */
export type Inert = Omit<AnyActorScope, 'actionExecutor'>;

/** What serves all steps of one machine: to XState, one scope is faster than a new one for each. */
interface Stepping {
  readonly scope: AnyActorScope;
  /** The actions of the step that is being taken. */
  actions: ExecutedAction[];
}

const steppings = new WeakMap<AnyStateMachine, Stepping>();

/**
 * XState's own `transition`, which makes an actor for each call; here one serves all steps of a
 * machine, since a node's actions do not use it.
 */
export function transition(
  machine: AnyStateMachine,
  snapshot: AnyMachineSnapshot,
  event: EventObject,
): [AnyMachineSnapshot, ExecutedAction[]] {
  const stepping = steppingOf(machine);
  const before = stepping.actions;
  const actions: ExecutedAction[] = [];
  stepping.actions = actions;
  try {
    return [machine.transition(snapshot, event, stepping.scope), actions];
  } finally {
    stepping.actions = before;
  }
}

export const inertScope = (machine: AnyStateMachine): Inert => steppingOf(machine).scope;

function steppingOf(machine: AnyStateMachine): Stepping {
  const known = steppings.get(machine);
  if (known) return known;
  const self = createActor(machine);
  const ignore = () => {};
  const scope: AnyActorScope = {
    self,
    id: '',
    sessionId: '',
    system: self.system,
    logger: ignore,
    defer: ignore,
    emit: ignore,
    stopChild: ignore,
    actionExecutor: (action) => stepping.actions.push(action),
  };
  const stepping: Stepping = { scope, actions: [] };
  steppings.set(machine, stepping);
  return stepping;
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
  const isPlain = typeof value === 'string' && !value.startsWith('[') && isEmpty(history);
  const key = isPlain ? value : JSON.stringify([value, history]);
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

function isEmpty(fields: object): boolean {
  for (const _ in fields) return false;
  return true;
}
