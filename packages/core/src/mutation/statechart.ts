import { type AnyStateMachine, createMachine, type UnknownMachineConfig } from 'xstate';
import type { Slot } from './mutant.js';

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
export function configOf({
  entry,
  exit,
  tags,
  on,
  after,
  always,
  onDone,
  states,
  others,
}: State): Config {
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
