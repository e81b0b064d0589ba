import { emittedEffect } from '@conclave/core/internal';
import type { Effect, NodeId } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import {
  type AnyStateMachine,
  type EventObject,
  emit,
  enqueueActions,
  type MachineContext,
  type UnknownAction,
} from 'xstate';
import type { Part } from './statechart.js';

type Send = Extract<Effect, { readonly type: 'send' }>;

/** What a mutant does with the first message that an action sends. */
export type SendChange = 'drop' | 'duplicate' | 'misdirect';

/**
 * The field of input and context with the neighbours of the node, for a mutant that misdirects; no
 * property reads it.
 */
export const neighboursField = '(neighbours)';

/** `input` with the neighbours of its node; unchanged where it is no object. */
export function withNeighbours<I>(input: I, self: NodeId, topology: Topology): I {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return input;
  return { ...input, [neighboursField]: topology.successors(self) };
}

/** The initial context of a machine, with the neighbours from its input. */
export const contextWithNeighbours =
  (made: unknown) =>
  (args: { readonly input: unknown }): object => {
    const context: object = typeof made === 'function' ? made(args) : Object(made);
    const neighbours: unknown = Reflect.get(Object(args.input), neighboursField);
    return { ...context, ...(neighbours === undefined ? {} : { [neighboursField]: neighbours }) };
  };

interface Args {
  readonly context: MachineContext;
  readonly event: EventObject;
}

type Expression = (args: Args, params: unknown) => unknown;

/** What XState keeps of a built-in action: a function with fields. */
interface BuiltIn {
  readonly type?: string;
  readonly event?: unknown;
  readonly collect?: Expression;
}

const builtIn = (made: unknown): BuiltIn | undefined =>
  typeof made === 'function' ? (made as BuiltIn) : undefined; // XState's own shape

/** The implementation of an action, and its parameters where it is named. */
function resolved(
  machine: AnyStateMachine,
  action: Part,
): { readonly made: unknown; readonly params?: unknown } {
  if (typeof action === 'function') return { made: action };
  const actions: Readonly<Record<string, unknown>> = machine.implementations.actions;
  if (typeof action === 'string') return { made: actions[action] };
  // XState's other notation for an action
  const { type, params } = action as { readonly type: string; readonly params?: unknown };
  return { made: actions[type], params };
}

/**
 * The changes of its sends that differ from dropping or repeating `action` as a whole. Whether it
 * sends anything is known only when it runs.
 */
export function sendChanges(machine: AnyStateMachine, action: Part): readonly SendChange[] {
  const type = builtIn(resolved(machine, action).made)?.type;
  if (type === 'xstate.emit') return ['misdirect'];
  return type === 'xstate.enqueueActions' ? ['drop', 'duplicate', 'misdirect'] : [];
}

/** `action` with its first send changed at each run. */
export function withChangedSend(
  machine: AnyStateMachine,
  action: Part,
  change: SendChange,
): UnknownAction {
  return enqueueActions((args) => {
    let isFirst = true;
    const rewrite = (effect: EventObject, context: MachineContext): readonly EventObject[] => {
      const known = emittedEffect(effect);
      if (known?.type !== 'send' || !isFirst) return [effect];
      isFirst = false;
      if (change === 'misdirect') return [misdirected(known, context)];
      return change === 'drop' ? [] : [effect, effect];
    };
    // XState's type requires the kind of action
    args.enqueue(rewriting(machine, action, rewrite) as Parameters<typeof args.enqueue>[0]);
  }) as UnknownAction;
}

type Rewrite = (effect: EventObject, context: MachineContext) => readonly EventObject[];

/** `action` with everything it emits rewritten. */
function rewriting(machine: AnyStateMachine, action: Part, rewrite: Rewrite): Part {
  const { made, params: given } = resolved(machine, action);
  const { type, event, collect } = builtIn(made) ?? {};
  const paramsOf = (args: Args) =>
    typeof given === 'function' ? given({ context: args.context, event: args.event }) : given;
  if (type === 'xstate.emit')
    return enqueueActions((args) => {
      const effect =
        typeof event === 'function' ? (event as Expression)(args, paramsOf(args)) : event;
      for (const rewritten of rewrite(effect as EventObject, args.context))
        args.enqueue.emit(rewritten); // an emit emits events
    });
  if (type !== 'xstate.enqueueActions' || !collect) return action;
  return enqueueActions((args) => {
    const add = (inner: Part) =>
      // as above
      args.enqueue(rewriting(machine, inner, rewrite) as Parameters<typeof args.enqueue>[0]);
    const { assign, raise, cancel } = args.enqueue;
    const emits = (effect: EventObject) => add(emit(effect));
    const intercepting = {
      ...args,
      enqueue: Object.assign(add, { assign, raise, cancel, emit: emits }),
    };
    collect(intercepting, paramsOf(args));
  });
}

/** Sends to the neighbour after the receiver; a node with one neighbour has no other. */
function misdirected(sent: Send, context: MachineContext): Send {
  const neighbours: readonly NodeId[] = context[neighboursField] ?? []; // written by withNeighbours
  const index = neighbours.indexOf(sent.to);
  if (index < 0) return sent;
  return { ...sent, to: neighbours[(index + 1) % neighbours.length] ?? sent.to };
}
