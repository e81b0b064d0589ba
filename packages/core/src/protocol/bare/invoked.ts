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
 * message may come first, which is more than one process does; verdicts say so. A stop runs no exit
 * actions, an end does. What a machine does not take in its state is ignored, as XState does.
 *
 * A machine is left to the environment, as any other actor, where that is declared beside its
 * parent, where the parent takes its snapshots, where it has history states (a new start would
 * remember the old one), and where one of the two sends after a delay.
 */
import { type AnyStateMachine, assign, enqueueActions } from 'xstate';
import { matches } from '../handles.js';
import { type NodeId, send } from '../node.js';
import { stateNodes } from '../regions.js';
import type { Beside } from './environment.js';
import {
  actionsIn,
  type Config,
  doneOf,
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
  const inner = depth < deepest ? invokedBy(machine, beside) : [];
  const families = inner.flatMap(({ actor, name, logic }) => {
    const node = freshName(name, names);
    children.set(actor, node);
    const place = { parent: { node: self, actor }, depth: depth + 1 };
    return familyOf(logic, node, names, beside, place);
  });
  return [{ self, machine, children, ...(parent && { parent }) }, ...families];
}

function invokedBy(machine: AnyStateMachine, { actors = {} }: Pick<Beside, 'actors'>) {
  const nodes = stateNodes(machine);
  if (sendsLate(machine)) return [];
  return nodes.flatMap((node) =>
    node.invoke.flatMap((invoke) => {
      const { id, src, onSnapshot } = invoke;
      const name = nameOf({ id, src }, node);
      const logic = logicOf(machine, node, invoke);
      const isSeen =
        onSnapshot !== undefined ||
        nodes.some(({ transitions }) => transitions.has(snapshotOf(id)));
      const isNode =
        isMachine(logic) &&
        !Object.hasOwn(actors, name) &&
        !isSeen &&
        !sendsLate(logic) &&
        stateNodes(logic).every(({ type }) => type !== 'history');
      return isNode ? [{ actor: id, name, logic }] : [];
    }),
  );
}

const sendsLate = (machine: AnyStateMachine): boolean =>
  actionsIn(machine).some((action) => {
    const { type, delay } = Object(action) as { type?: unknown; delay?: unknown }; // XState's shape
    return type === 'xstate.sendTo' && delay !== undefined;
  });

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
  const ended = enqueueActions(({ enqueue, ...args }) => {
    const value = isRun(output) ? output(args) : output;
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
