/**
 * A statechart as mutation sees it: its candidates of transitions written out, what they are
 * called in reports, and where else they could lead.
 */

import { actionsText, guardText } from '@conclave/core/internal/chart';
import {
  type AnyStateMachine,
  type AnyStateNode,
  type AnyTransitionDefinition,
  createMachine,
  type UnknownMachineConfig,
} from 'xstate';
import type { Slot } from './report.js';

/**
 * An action or a guard as the config has it: a name, an object with a type, or what one of XState's
 * functions made.
 */
export type Part = unknown;

/** One candidate of a transition, written out. */
export interface Rule {
  readonly target?: readonly string[];
  readonly guard?: Part;
  readonly actions: readonly Part[];
  /** What is never changed on its own, such as `reenter`. */
  readonly others: Readonly<Record<string, unknown>>;
}

/** The candidates of an event, in the order in which XState evaluates them. */
export type Rules = readonly Rule[];

/**
 * One state written out: every short form of XState's config is a list, and nothing is left out.
 */
export interface State {
  readonly entry: readonly Part[];
  readonly exit: readonly Part[];
  readonly tags: readonly string[];
  readonly on: Readonly<Record<string, Rules>>;
  readonly after: Readonly<Record<string, Rules>>;
  readonly always: Rules;
  readonly onDone: Rules;
  readonly states: Readonly<Record<string, State>>;
  /** What is never changed, such as `id`, `type`, `initial` and `context`. */
  readonly others: Readonly<Record<string, unknown>>;
}

type Config = Readonly<Record<string, unknown>>;

/** XState treats a single item as a list of one. */
const listed = (one: unknown): readonly unknown[] =>
  one === undefined ? [] : Array.isArray(one) ? one : [one];

const strings = (one: unknown): readonly string[] => listed(one).map(String);

/**
 * A transition may be the mere name of its target; nothing at all is one that ignores its event.
 */
const rulesOf = (made: unknown): Rules => (Array.isArray(made) ? made : [made]).map(ruleOf);

function ruleOf(made: unknown): Rule {
  if (typeof made === 'string' || made === undefined)
    return { ...(made === undefined ? {} : { target: [made] }), actions: [], others: {} };
  // a transition that is no name is an object
  const { target, guard, actions, description: _, ...others } = made as Config;
  return {
    ...(target === undefined ? {} : { target: strings(target) }),
    ...(guard === undefined ? {} : { guard }),
    actions: listed(actions),
    others,
  };
}

const mapped = <A, B>(record: object, change: (one: A) => B): Readonly<Record<string, B>> =>
  Object.fromEntries(Object.entries(record).map(([key, one]) => [key, change(one)]));

/** A state of XState's config, written out. */
export function stateOf(config: object): State {
  const {
    entry,
    exit,
    tags,
    on = {},
    after = {},
    always,
    onDone,
    states = {},
    ...others
  } = config as Config;
  return {
    entry: listed(entry),
    exit: listed(exit),
    tags: strings(tags),
    on: mapped(Object(on), rulesOf),
    after: mapped(Object(after), rulesOf),
    always: always === undefined ? [] : rulesOf(always),
    onDone: onDone === undefined ? [] : rulesOf(onDone),
    states: mapped(Object(states), stateOf),
    others,
  };
}

const ruleConfig = ({ target, guard, actions, others }: Rule): Config => ({
  ...others,
  ...(target === undefined ? {} : { target }),
  ...(guard === undefined ? {} : { guard }),
  ...(actions.length === 0 ? {} : { actions }),
});

/** The state in XState's notation. */
function configOf({ entry, exit, tags, on, after, always, onDone, states, others }: State): Config {
  const rules = (made: Rules) => made.map(ruleConfig);
  return {
    ...others,
    ...(entry.length === 0 ? {} : { entry }),
    ...(exit.length === 0 ? {} : { exit }),
    ...(tags.length === 0 ? {} : { tags }),
    on: mapped(on, rules),
    after: mapped(after, rules),
    ...(always.length === 0 ? {} : { always: rules(always) }),
    ...(onDone.length === 0 ? {} : { onDone: rules(onDone) }),
    ...(Object.keys(states).length === 0 ? {} : { states: mapped(states, configOf) }),
  };
}

/**
 * Some mutants loop without an event; XState then ends the step with an error, and they are
 * refuted.
 */
const mostMicrosteps = 1000;

/** The machine of a changed statechart, with the actions, guards and delays of `original`. */
export function machineOf(original: AnyStateMachine, root: State): AnyStateMachine {
  const options = { ...Object(root.others.options), maxIterations: mostMicrosteps };
  const config: UnknownMachineConfig = { ...configOf(root), options };
  const { actions, guards, delays } = original.implementations;
  return createMachine(config, {
    actions: { ...actions },
    guards: { ...guards },
    delays: { ...delays },
  });
}

/** `root` with the state at `path` changed. */
export function withState(
  root: State,
  path: readonly string[],
  change: (state: State) => State,
): State {
  const [key, ...inner] = path;
  if (key === undefined) return change(root);
  const child = root.states[key];
  return child
    ? { ...root, states: { ...root.states, [key]: withState(child, inner, change) } }
    : root;
}

/** Every state with its path, outermost first. */
export function* statesOf(
  state: State,
  path: readonly string[] = [],
): Generator<readonly [path: readonly string[], state: State]> {
  yield [path, state];
  for (const [key, child] of Object.entries(state.states)) yield* statesOf(child, [...path, key]);
}

export function slotsOf({ on, after, always, onDone }: State): readonly Slot[] {
  return [
    ...(always.length > 0 ? [{ kind: 'always', key: '' } as const] : []),
    ...Object.keys(on).map((key) => ({ kind: 'on', key }) as const),
    ...(onDone.length > 0 ? [{ kind: 'onDone', key: '' } as const] : []),
    ...Object.keys(after).map((key) => ({ kind: 'after', key }) as const),
  ];
}

export function rulesIn(state: State, { kind, key }: Slot): Rules {
  return kind === 'on' || kind === 'after' ? (state[kind][key] ?? []) : state[kind];
}

/** `state` with other candidates in `slot`; undefined removes the event or delay. */
export function withRules(state: State, { kind, key }: Slot, rules: Rules | undefined): State {
  if (kind === 'always' || kind === 'onDone') return { ...state, [kind]: rules ?? [] };
  const { [key]: _, ...others } = state[kind];
  // In its place, so that the order of events stays.
  return { ...state, [kind]: rules === undefined ? others : { ...state[kind], [key]: rules } };
}

/** Titles of the actions that mutants have made of others. */
const titles = new WeakMap<object, string>();

export function entitled<A extends object>(action: A, title: string): A {
  titles.set(action, title);
  return action;
}

/** An action by name. */
export const actionText = (action: Part): string =>
  (typeof action === 'function' ? titles.get(action) : undefined) ?? actionsText(action);

const actionListText = (actions: readonly Part[]): string => actions.map(actionText).join(', ');

/** A state by its path; the machine itself by its id. */
export const pathText = (path: readonly string[], machine: AnyStateMachine): string =>
  path.join('.') || machine.id;

/** The event or the delay: `request`, `always`, `after 500 ms`. */
export function slotText({ kind, key }: Slot): string {
  if (kind === 'on') return key;
  if (kind === 'after') return Number.isNaN(Number(key)) ? `after ${key}` : `after ${key} ms`;
  return kind === 'always' ? 'always' : 'when done';
}

/** `#raymond.released.away` as `released.away`; targets are written from the machine on. */
const targetText = (target: string): string =>
  target.replace(/^#(?:[^.\\]|\\.)*\.(?=.)/, '').replace(/^#/, '');

/** `[oursIsOlder] / witness, defer → wanted`; a rule that does nothing ignores its event. */
function ruleText({ target, guard, actions, others }: Rule): string {
  const parts = [
    ...(guard === undefined ? [] : [`[${guardText(guard)}]`]),
    ...(actions.length === 0 ? [] : [`/ ${actionListText(actions)}`]),
    ...(target === undefined ? [] : [`→ ${target.map(targetText).join(', ')}`]),
    ...(target === undefined && actions.length === 0 ? ['ignored'] : []),
    ...(others.reenter === true && target !== undefined ? ['(reenter)'] : []),
  ];
  return parts.join(' ');
}

/**
 * What a state does about one event, in one line: `wanted: request [oursIsOlder] / witness, defer |
 * / witness, reply`.
 */
export const rulesText = (state: string, slot: Slot, rules: Rules | undefined): string =>
  `${state}: ${slotText(slot)} ${rules === undefined || rules.length === 0 ? 'unlisted' : rules.map(ruleText).join(' | ')}`;

/** `held: tags critical, token`. */
export const listText = (
  state: string,
  what: 'entry' | 'exit' | 'tags',
  list: readonly Part[],
): string => `${state}: ${what} ${list.length === 0 ? 'none' : actionListText(list)}`;

/**
 * A text that two statecharts share exactly if they are written the same; functions are compared by
 * identity.
 */
export function statechartText(root: State, idOf: (made: object) => number): string {
  return JSON.stringify(root, (_key, value: unknown) =>
    typeof value === 'function' ? `ƒ${idOf(value)}` : value,
  );
}

/** A state as a target from anywhere: XState looks ids up by their first part. */
const absolute = (node: AnyStateNode): string =>
  `#${[node.machine.root.id, ...node.path].map((key) => key.replace(/[\\.]/g, '\\$&')).join('.')}`;

/** The statechart of a machine, written out, with absolute targets. */
export function statechartOf(machine: AnyStateMachine): State {
  return resolvedState(machine.root, stateOf(machine.config));
}

function resolvedState(node: AnyStateNode, state: State): State {
  const resolve = (slot: Slot, rules: Rules): Rules => {
    const definitions = definitionsIn(node, slot);
    return rules.map((rule, index) => resolvedRule(rule, definitions[index]));
  };
  const each = (kind: 'on' | 'after') =>
    Object.fromEntries(
      Object.entries(state[kind]).map(([key, rules]) => [key, resolve({ kind, key }, rules)]),
    );
  return {
    ...state,
    on: each('on'),
    after: each('after'),
    always: resolve({ kind: 'always', key: '' }, state.always),
    onDone: resolve({ kind: 'onDone', key: '' }, state.onDone),
    states: Object.fromEntries(
      Object.entries(state.states).map(([key, child]) => [
        key,
        resolvedState(node.states[key] as AnyStateNode, child),
      ]), // XState makes a node of each
    ),
  };
}

function resolvedRule(rule: Rule, definition: AnyTransitionDefinition | undefined): Rule {
  return definition?.target === undefined
    ? rule
    : { ...rule, target: definition.target.map(absolute) };
}

/** What XState has made of the candidates in `slot`, in their order. */
export function definitionsIn(
  node: AnyStateNode,
  { kind, key }: Slot,
): readonly AnyTransitionDefinition[] {
  if (kind === 'always') return node.always ?? [];
  if (kind === 'after') return node.after.filter(({ delay }) => String(delay) === key);
  return node.transitions.get(kind === 'on' ? key : `xstate.done.state.${node.id}`) ?? [];
}

/** The state node at `path`. */
export function nodeAt(machine: AnyStateMachine, path: readonly string[]): AnyStateNode {
  // paths come from this machine
  return path.reduce<AnyStateNode>((node, key) => node.states[key] as AnyStateNode, machine.root);
}

/**
 * The other targets of a rule: the siblings of its target, and of the target's ancestors up to one
 * that contains the source, too; for a rule without a target, the siblings of its own state.
 */
export function otherTargets(
  source: AnyStateNode,
  definition: AnyTransitionDefinition | undefined,
): readonly string[] {
  const [target, ...more] = definition?.target ?? [];
  if (more.length > 0) return []; // into several regions at once: there is no single other place
  const found: AnyStateNode[] = [];
  // A transition to its own atomic state that does not reenter it changes nothing.
  const staysIn = (node: AnyStateNode) =>
    node === source && node.type === 'atomic' && definition?.reenter !== true;
  for (let node = target ?? source; node.parent !== undefined; node = node.parent) {
    const { parent } = node;
    if (parent.type !== 'parallel')
      for (const sibling of Object.values(parent.states))
        if (sibling !== node && sibling.type !== 'history' && !staysIn(sibling))
          found.push(sibling);
    if (target === undefined || parent === source || isAround(parent, source)) break;
  }
  return found.map(absolute);
}

function isAround(outer: AnyStateNode, inner: AnyStateNode): boolean {
  return inner.parent !== undefined && (inner.parent === outer || isAround(outer, inner.parent));
}
