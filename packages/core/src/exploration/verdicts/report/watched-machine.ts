import {
  type AnyStateMachine,
  type AnyStateNode,
  type AnyTransitionDefinition,
  and,
  type EventObject,
  type GuardPredicate,
  log,
  type MachineContext,
  or,
  type ParameterizedObject,
  type StateValue,
} from 'xstate';
import { eventText, guardText } from '../../../chart/reaction.js';
import { stateNodes } from '../../../protocol/state-nodes.js';

/** The use of one transition. */
interface WatchedTransition {
  /** Such as `released.away: always [tokenIsHere] → released.here`. */
  readonly text: string;
  taken: boolean;
  /** The results of its guard, if it has one. */
  readonly answers: Set<boolean>;
}

/** An innermost state, and whether it was ever entered. */
interface WatchedState {
  readonly path: string;
  entered: boolean;
}

/** A machine that records what it uses. */
export interface WatchedMachine {
  readonly machine: AnyStateMachine;
  readonly transitions: readonly WatchedTransition[];
  readonly states: readonly WatchedState[];
}

/**
 * A copy of `original` that behaves the same and records its guards, transitions and states. XState
 * itself triggers each record, so a transition that is enabled but pre-empted by another region
 * leaves none: its actions are not run.
 */
export function watchMachine(original: AnyStateMachine): WatchedMachine {
  const machine = original.provide({});
  const nodes = stateNodes(machine);
  return {
    machine,
    transitions: nodes
      .flatMap((node) => [...[...node.transitions.values()].flat(), ...(node.always ?? [])])
      .map(watchTransition),
    states: nodes.filter(({ type }) => type === 'atomic' || type === 'final').map(watchState),
  };
}

type AnyGuard = GuardPredicate<MachineContext, EventObject, unknown, ParameterizedObject>;

function watchTransition(transition: AnyTransitionDefinition): WatchedTransition {
  const { guard, actions } = transition;
  const watched: WatchedTransition = { text: textOf(transition), taken: false, answers: new Set() };
  const note = (answer: boolean) => () => {
    watched.answers.add(answer);
    return answer;
  };
  // XState's and() accepts every kind of guard; its type does not.
  if (guard !== undefined)
    transition.guard = or([and([guard as AnyGuard, note(true)]), note(false)]);
  // log is the only action that changes nothing, not even whether XState regards the state as
  // changed.
  const take = log(() => {
    watched.taken = true;
  });
  transition.actions = [take, ...actions];
  return watched;
}

function watchState(node: AnyStateNode): WatchedState {
  const watched: WatchedState = { path: pathOf(node), entered: false };
  const enter = log(() => {
    watched.entered = true;
  });
  node.entry.unshift(enter);
  return watched;
}

function textOf(transition: AnyTransitionDefinition): string {
  const { source, guard, target } = transition;
  const condition = guard === undefined ? '' : ` [${guardText(guard)}]`;
  return `${pathOf(source)}: ${eventText(transition)}${condition}${target ? ` → ${target.map(pathOf).join(', ')}` : ''}`;
}

function pathOf({ path, key }: AnyStateNode): string {
  return path.join('.') || key;
}

/** The paths of the innermost states of `value`, a state of `node`. */
export function innermostPaths(node: AnyStateNode, value: StateValue): readonly string[] {
  const inner = typeof value === 'string' ? [[value, {}] as const] : Object.entries(value);
  if (inner.length === 0) return [pathOf(node)];
  return inner.flatMap(([key, deeper = {}]) => {
    const child = node.states[key];
    return child ? innermostPaths(child, deeper) : [];
  });
}
