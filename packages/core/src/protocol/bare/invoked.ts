/**
 * A machine that a state invokes, as a node of its own beside its parent.
 *
 * XState starts it when the state is entered, stops it when the state is left, and hands the parent
 * its end. So its node waits in `stopped`, without a context, until the parent starts it:
 *
 *     the state is entered  ──start(upload)(input)──▸  stopped → running.…
 *     the state is left     ──stop(upload)──────────▸  running → stopped
 *     running is final      ──done(upload)(output)──▸  to the parent
 *
 * Both run in one process, in which a mailbox keeps the order: what one sends the other is taken
 * before any other event comes (`sameProcess` of the channels). Only where both have sent, either
 * message may come first, which is more than one process does; verdicts say so. What a machine has
 * still to say when it is stopped arrives or is lost: XState drops it unless the parent has it. A
 * stop runs no exit actions, an end does. What a machine does not take in its state is ignored, as
 * XState does.
 *
 * A machine is left to the environment, as any other actor, where its node would not do all that
 * its actor does: where it is declared beside its parent; where the parent takes its snapshots or
 * its errors, computes its input beside entry actions, or has a final state of its own; where one id
 * may be active twice, or means two machines; where one of the two sends after a delay; and where
 * the machine is parallel, raises events, enqueues actions, asks by `stateIn`, has history states, or
 * acts or speaks in the step of its end ({@link isFollowed}).
 */
import { type AnyStateMachine, type AnyStateNode, assign, enqueueActions } from 'xstate';
import { matches } from '../handles.js';
import { type NodeId, send } from '../node.js';
import { combinedBy, stateNodes } from '../regions.js';
import { type Beside, isOwn } from './environment.js';
import {
  actionsIn,
  type Config,
  declarationOf,
  doneOf,
  errorOf,
  isMachine,
  isObject,
  isRun,
  listOf,
  logicOf,
  mapped,
  nameOf,
  type Place,
  snapshotOf,
  spawned,
  startOf,
  stopOf,
} from './modelled.js';

/** A machine of a system, with where it is invoked. */
export interface Member extends Place {
  readonly self: NodeId;
  /** As the user has written it. */
  readonly machine: AnyStateMachine;
}

/** Deeper than this, a machine that invokes itself is left to the environment. */
const deepest = 3;

/**
 * `machine`, as node `self`, and the machines that it invokes, theirs, and so on. `names`: those of
 * the nodes so far, to which this adds.
 */
export function familyOf(
  machine: AnyStateMachine,
  self: NodeId,
  names: Set<NodeId>,
  beside: Pick<Beside, 'actors'>,
  { parent, depth = 0 }: { readonly parent?: Place['parent']; readonly depth?: number } = {},
): readonly Member[] {
  const children = new Map<string, NodeId>();
  const inner = depth < deepest ? invokedBy(machine, beside, depth === 0) : [];
  const families = inner.flatMap(({ actor, name, logic }) => {
    const node = freshName(name, names);
    children.set(actor, node);
    const place = { parent: { node: self, actor }, depth: depth + 1 };
    return familyOf(logic, node, names, beside, place);
  });
  return [{ self, machine, children, ...(parent && { parent }) }, ...families];
}

function invokedBy(
  machine: AnyStateMachine,
  { actors = {} }: Pick<Beside, 'actors'>,
  isOutermost: boolean,
) {
  const nodes = stateNodes(machine);
  const ids = nodes.flatMap(({ invoke }) => invoke.map(({ id }) => id));
  const listed = (event: string) => nodes.some(({ transitions }) => transitions.has(event));
  const mayFork = nodes.some(({ type }) => type === 'parallel');
  /** Whether an entry action may change what the input of an actor is computed from. */
  const mayAssign = (action: unknown) => !isSend(machine, action);
  const ends =
    isOutermost && Object.values(machine.root.states).some(({ type }) => type === 'final');
  if (ends || usesAny(machine, sendsLate)) return [];
  const found = nodes.flatMap((node) =>
    node.invoke.map((invoke) => {
      const { id, src, onSnapshot, onError } = invoke;
      const logic = logicOf(machine, node, invoke);
      const name = nameOf({ id, src }, node);
      const isNode =
        isMachine(logic) &&
        !Object.hasOwn(actors, name) &&
        [onSnapshot, onError].every((one) => one === undefined) &&
        !listed(snapshotOf(id)) &&
        !listed(errorOf(id)) &&
        !(isRun(declarationOf(node, id).input) && node.entry.some(mayAssign)) &&
        !(mayFork && ids.indexOf(id) !== ids.lastIndexOf(id)) &&
        isFollowed(logic);
      return { actor: id, name, logic: isNode ? logic : undefined };
    }),
  );
  const first = new Map(found.toReversed().map((one) => [one.actor, one]));
  return [...first.values()].reverse().flatMap(({ actor, name, logic }) => {
    const isOne = found.every((other) => other.actor !== actor || other.logic === logic);
    return logic && isOne ? [{ actor, name, logic }] : [];
  });
}

type Made = { readonly type?: unknown; readonly delay?: unknown }; // XState's shape of an action

const usesAny = (machine: AnyStateMachine, uses: (action: Made) => boolean): boolean =>
  actionsIn(machine).some((action) => uses(Object(action)));

/** Whether an action of a machine, or the one that it names, is `sendTo` or made of it. */
function isSend({ implementations }: AnyStateMachine, action: unknown): boolean {
  const known = implementations.actions as Config;
  const made = isRun(action) ? action : known[String(Object(action).type ?? action)];
  return Object(made).type === 'xstate.sendTo';
}

const sendsLate = ({ type, delay }: Made): boolean =>
  type === 'xstate.sendTo' && delay !== undefined;

/**
 * Whether the node of an invoked machine does what its actor would: no state of it is named from
 * outside, and nothing happens in the step of its end but the end.
 */
function isFollowed(machine: AnyStateMachine): boolean {
  const { root, config } = machine;
  const nodes = stateNodes(machine);
  const unfollowed = ['xstate.raise', 'xstate.enqueueActions'];
  const lastStates = Object.values(root.states).filter(({ type }) => type === 'final');
  return (
    !usesAny(machine, (action) => sendsLate(action) || unfollowed.includes(String(action.type))) &&
    root.type !== 'parallel' && // it has many last steps
    nodes.every(({ type }) => type !== 'history') &&
    (root.always ?? []).length === 0 &&
    root.exit.length === 0 &&
    (!isRun(config.output) ||
      (lastStates.length === 1 && lastStates.every(({ exit }) => exit.length === 0))) &&
    !(lastStates.length > 0 && mayEndSpeaking(machine)) &&
    !guardsIn(machine).some((guard) => asksForState(guard)) &&
    nodes.every((node) => Object.keys(Object(node.config.on)).every(isOwn)) &&
    nodes.every(({ transitions, always = [] }) =>
      [...transitions.values(), always].flat().every(({ target = [] }) => !target.includes(root)),
    )
  );
}

/**
 * Whether a machine may send in the step in which it ends: to its parent, which may stop it and start
 * it again before it hears of that end, after what the new one says.
 */
function mayEndSpeaking(machine: AnyStateMachine): boolean {
  const speaks = (actions: readonly unknown[]) => actions.some((one) => isSend(machine, one));
  const isLast = ({ type, parent }: AnyStateNode) => type === 'final' && parent === machine.root;
  return stateNodes(machine).some((node) => {
    const { transitions, always = [], entry, exit } = node;
    const forced = [...transitions].flatMap(([descriptor, all]) =>
      descriptor.startsWith('xstate.done.state.') ? all : [],
    );
    const leads = ({ target = [] }: { readonly target?: readonly AnyStateNode[] | undefined }) =>
      target.some(isLast);
    return (
      speaks(exit) ||
      (isLast(node) && speaks(entry)) ||
      [...always, ...forced].some(leads) ||
      [...transitions.values()].flat().some((one) => leads(one) && speaks(one.actions))
    );
  });
}

const guardsIn = (machine: AnyStateMachine): readonly unknown[] => [
  ...Object.values(machine.implementations.guards),
  ...stateNodes(machine).flatMap(({ transitions, always }) =>
    [...transitions.values(), always ?? []].flat().map(({ guard }) => guard),
  ),
];

/** Whether a guard is `stateIn`, or combines one. */
function asksForState(guard: unknown): boolean {
  const { check, guards = [] } = Object(guard) as { check?: unknown; guards?: readonly unknown[] }; // XState's shape
  const isCombined = typeof guard === 'function' && check !== undefined;
  return isCombined && (combinedBy(guard as never) === 'stateIn' || guards.some(asksForState));
}

function freshName(name: string, names: Set<NodeId>): NodeId {
  const plain = name.replace(/[^A-Za-z0-9_-]+/g, '-').replace(/^-+|-+$/g, '') || 'actor';
  let fresh = plain;
  for (let number = 2; names.has(fresh); number++) fresh = `${plain}-${number}`;
  names.add(fresh);
  return fresh;
}

const stopped = '(stopped)';

/** An invoked machine that is started and stopped by its parent; any other one as it is. */
export function startedByParent(machine: AnyStateMachine, { parent }: Place): AnyStateMachine {
  if (!parent) return machine;
  const { actor, node } = parent;
  const { context, output, id: _, ...running } = machine.config as Config; // a plain object
  const stop = { target: `#${stopped}`, actions: cleared };
  const first = assign(({ event, self }) => {
    const { input } = event as { readonly input?: unknown }; // see `startOf`
    return Object(isRun(context) ? context({ input, self, spawn: spawned }) : context);
  });
  const last = Object.values(machine.root.states).find(({ type }) => type === 'final');
  const ended = enqueueActions(({ enqueue, ...args }) => {
    const event = { ...args.event, type: `xstate.done.state.${last?.id}` }; // as XState calls it
    const value = isRun(output) ? output({ ...args, event }) : output;
    enqueue.emit(
      send(node, { type: doneOf(actor), ...(value !== undefined && { output: value }) }),
    );
  });
  return Reflect.construct(machine.constructor, [
    {
      id: `${machine.id} (invoked)`,
      initial: 'stopped',
      context: {},
      states: {
        stopped: {
          id: stopped,
          on: { [startOf(actor)]: { target: 'running', actions: first } },
        },
        running: {
          ...stopping(running, stopOf(actor), stop),
          id: machine.id,
          on: { ...Object(running.on), [stopOf(actor)]: stop },
          onDone: { target: 'stopped', actions: [ended, cleared] },
        },
      },
    },
    machine.implementations,
  ]) as AnyStateMachine; // of the same class
}

/** The stop goes past the states that take any event. */
function stopping(config: Config, type: string, stop: object): Config {
  const on = Object(config.on) as Config;
  const takesAny = Object.keys(on).some((descriptor) => descriptor.includes('*'));
  return {
    ...config,
    ...(takesAny && { on: { ...on, [type]: stop } }),
    ...(config.states !== undefined && {
      states: mapped(config.states, (one) => (isObject(one) ? stopping(one, type, stop) : one)),
    }),
  };
}

/** A machine that is stopped has no context. */
const cleared = /* @__PURE__ */ assign(({ context }) =>
  Object.fromEntries(Object.keys(context).map((field) => [field, undefined])),
);

/** `machine`, which ignores these events where no state of it takes them. */
export const ignoring = (machine: AnyStateMachine, types: Iterable<string>): AnyStateMachine => {
  const on = Object(machine.config.on) as Config;
  const ignored = [...types].flatMap((type) =>
    Object.keys(on).some((descriptor) => descriptor !== type && matches(descriptor, type))
      ? []
      : [[type, [...listOf(on[type]), {}]] as const],
  );
  return ignored.length === 0
    ? machine
    : (Reflect.construct(machine.constructor, [
        { ...machine.config, on: { ...on, ...Object.fromEntries(ignored) } },
        machine.implementations,
      ]) as AnyStateMachine); // of the same class
};
