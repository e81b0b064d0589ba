import { ConclaveError } from '@conclave/core/protocol';
import {
  type AnyStateMachine,
  type AnyStateNode,
  type AnyStateNodeConfig,
  type AnyTransitionDefinition,
  createMachine,
  type EventObject,
  type MachineContext,
  or,
  stateIn,
  type UnknownMachineConfig,
} from 'xstate';
import { type Appearance, Projection } from './projection.js';

/** A machine as one region of a larger one. */
export interface Region {
  readonly name: string;
  readonly state: AnyStateNodeConfig;
  /** For `setup`, or the second argument of `createMachine`. */
  readonly implementations: Pick<
    AnyStateMachine['implementations'],
    'actions' | 'guards' | 'delays'
  >;
  /** The region's initial context. */
  readonly context: (input: unknown) => object;
  /** Whether the region is in a state with this tag of the part. */
  readonly has: (tag: string) => ReturnType<typeof stateIn<MachineContext, EventObject, unknown>>;
}

/**
 * `machine` as a region `name`: its context is the field `name` of the whole's, its events and
 * messages have the prefix `name-`, its tags, actions, guards and delays `name:`, and its states
 * are targets below `#name`.
 *
 * @throws {ConclaveError} `bad-protocol` for constructs that have another meaning in a region:
 * final states and `onDone`, wildcards, actors, transitions that target or re-enter the machine
 * itself; for a guard `isAnswered`; for a name that is not one word; for what `appearance` does not
 * allow.
 */
export function region(
  name: string,
  machine: AnyStateMachine,
  appearance: Appearance = {},
): Region {
  const projection = new Projection(name, machine, appearance);
  if (!/^[a-z][a-z0-9]*$/.test(name))
    throw projection.refuse('its name is not one word in small letters', "Call it like 'within'.");
  const { actions, guards, delays, actors } = machine.implementations;
  if (Object.hasOwn(guards, 'isAnswered'))
    throw projection.refuse(
      "it has a guard 'isAnswered', as each region has",
      'Give it another name.',
    );
  if (Object.keys(actors).length > 0)
    throw projection.refuse('it brings actors of its own', 'A node is one machine.');
  const { history } = appearance.again ? { history: historyIn(machine.root) } : {};
  if (history)
    throw projection.refuse(
      `state '${history.id}' remembers what was before the exit`,
      'Keep it in the context.',
    );
  return {
    name,
    state: stateConfig(machine.root, projection),
    implementations: {
      actions: relabel(projection, actions, (action, where) =>
        projection.action(action, `action '${where}'`),
      ),
      guards: {
        ...relabel(projection, guards, (guard, where) =>
          projection.guard(guard, `guard '${where}'`),
        ),
        ...(appearance.sole
          ? {}
          : { [projection.label('isAnswered')]: ({ event }) => projection.isAnswered(event) }),
      },
      delays: relabel(projection, delays, (delay) => projection.delay(delay)),
    },
    context: (input) => {
      const { context } = machine.config;
      return typeof context === 'function' ? context({ input }) : context;
    },
    has: (tag) => {
      const tagged = nodesTagged(tag, machine.root);
      if (tagged.length === 0)
        throw projection.refuse(
          `it has no state tagged '${tag}'`,
          'Tag the states that it describes.',
        );
      return or(
        tagged.map(({ path }) =>
          stateIn<MachineContext, EventObject, unknown>(projection.target(path)),
        ),
      );
    },
  };
}

const nodesTagged = (tag: string, node: AnyStateNode): readonly AnyStateNode[] => [
  ...(node.tags.includes(tag) ? [node] : []),
  ...Object.values(node.states).flatMap((child) => nodesTagged(tag, child)),
];

const historyIn = (node: AnyStateNode): AnyStateNode | undefined =>
  node.type === 'history'
    ? node
    : Object.values(node.states)
        .map(historyIn)
        .find((found) => found);

function relabel<M extends object>(
  projection: Projection,
  made: M,
  outer: (one: unknown, name: string) => unknown,
): M {
  return Object.fromEntries(
    Object.entries(made).map(([name, one]) => [projection.label(name), outer(one, name)]),
  ) as M; // each is of the kind it was
}

function stateConfig(node: AnyStateNode, projection: Projection): AnyStateNodeConfig {
  const where = `state '${node.id}'`;
  requireRegional(node, where, projection);
  const { type, config, description } = node;
  const isRoot = node.parent === undefined;
  const actionsOf = (actions: unknown) =>
    arrayOf(actions).map((action) => projection.action(action, where));
  const guarded = (definition: AnyTransitionDefinition) => {
    const guard = projection.eventGuard(definition.eventType, definition.guard, where);
    return guard === undefined ? {} : { guard };
  };
  const transition = (definition: AnyTransitionDefinition) => ({
    ...(definition.target
      ? { target: definition.target.map(({ path }) => projection.target(path)) }
      : {}),
    ...guarded(definition),
    ...(definition.description === undefined ? {} : { description: definition.description }),
    actions: actionsOf(definition.actions),
    reenter: definition.reenter,
  });
  const isUsed = (descriptor: string) =>
    !descriptor.startsWith('xstate.') && !projection.isUnused(descriptor);
  const on = [...node.transitions].filter(([descriptor]) => isUsed(descriptor));
  const delays = new Set(node.after.map(({ delay }) => delay));
  const after = (delay: unknown) =>
    node.after.filter((delayed) => delayed.delay === delay).map(transition);
  const [first] = type === 'compound' ? node.initial.target : [];
  return {
    type,
    ...(isRoot ? { id: projection.name } : {}),
    ...(description === undefined ? {} : { description }),
    ...(first ? { initial: { target: first.key, actions: actionsOf(node.initial.actions) } } : {}),
    ...(type === 'history' ? { history: node.history, ...historyDefault(node, projection) } : {}),
    tags: node.tags.map((tag) => projection.tag(tag)),
    ...raisedIn(node, projection),
    entry: actionsOf(config.entry), // not node.entry: XState adds its timers there
    exit: actionsOf(config.exit),
    on: Object.fromEntries(
      on.map(([descriptor, choices]) => [
        descriptor === 'chosen' ? descriptor : projection.outer(descriptor),
        choices.map(transition),
      ]),
    ),
    ...(node.always ? { always: node.always.map(transition) } : {}),
    after: Object.fromEntries(
      [...delays].map((delay) => [String(projection.delay(delay)), after(delay)]),
    ),
    states: Object.fromEntries(
      Object.entries(node.states).map(([key, child]) => [key, stateConfig(child, projection)]),
    ),
  };
}

/** The events that a state lists as raised by `enqueueActions`. */
function raisedIn({ meta }: AnyStateNode, projection: Projection): { readonly meta?: object } {
  const { raises }: { readonly raises?: readonly string[] } = Object(meta);
  return raises ? { meta: { raises: raises.map((type) => projection.outer(type)) } } : {};
}

const arrayOf = (one: unknown): readonly unknown[] => (one === undefined ? [] : [one].flat());

/** The target of a history state without history; XState keeps it in the config only. */
function historyDefault(
  { config, machine, id }: AnyStateNode,
  projection: Projection,
): { readonly target?: string } {
  const { target }: { readonly target?: unknown } = config;
  if (target === undefined) return {};
  if (typeof target !== 'string')
    throw projection.refuse(`state '${id}' has several default states`, 'Give it one.');
  return {
    target: target.startsWith('#')
      ? projection.target(machine.getStateNodeById(target).path)
      : target,
  };
}

/**
 * Refuses constructs that have another meaning in a region than in a machine, or that are invisible
 * from outside.
 */
function requireRegional(node: AnyStateNode, where: string, projection: Projection): void {
  const { config, transitions, machine } = node;
  const isRoot = node.parent === undefined;
  if (node.type === 'final' || config.onDone !== undefined)
    throw projection.refuse(
      `${where} is final or waits for one that is`,
      'A region does not end. Use a plain state.',
    );
  if (node.invoke.length > 0)
    throw projection.refuse(`${where} invokes an actor`, 'A node is one machine.');
  const timers = new Set(node.after.map(({ eventType }) => eventType));
  for (const descriptor of transitions.keys()) {
    if (descriptor.includes('*'))
      throw projection.refuse(`${where} handles '${descriptor}'`, 'List the events.');
    if (descriptor.startsWith('xstate.') && !timers.has(descriptor))
      throw projection.refuse(
        `${where} handles '${descriptor}', an event of XState's own`,
        'Use always, after or raise.',
      );
  }
  for (const { target, reenter } of [...[...transitions.values()].flat(), ...(node.always ?? [])])
    if (target?.includes(machine.root) || (isRoot && reenter))
      throw projection.refuse(`${where} leads to the machine itself`, 'Name the target state.');
}

/**
 * `whole`, a machine of parallel regions, with each of `parts` as one more region: composition by
 * statechart, not by copy.
 *
 * The whole sends a part an event by `raise({ type: 'within-acquire' })`, and sees its state by
 * `stateIn('#within.held')` or `region(…).has(tag)`. The input of a part is the field of its name
 * in the input, its context the field of its name in the context.
 *
 * @param appearances by part. The states that handle what a part tells list it, as in
 * `meta: { raises: ['group-deliver'] }`.
 * @throws {ConclaveError} `bad-protocol` as {@link region}, for a whole that is not parallel, and
 * for a part with the name of one of its regions.
 * @example compose(setup({ … }).createMachine({ type: 'parallel', … }), { within: raymondMachine
 * })
 */
export function compose(
  whole: AnyStateMachine,
  parts: Readonly<Record<string, AnyStateMachine>>,
  appearances: Readonly<Record<string, Pick<Appearance, 'told' | 'unused'>>> = {},
): AnyStateMachine {
  const refuse = (what: string, cure: string) =>
    new ConclaveError(
      'bad-protocol',
      `Machine '${whole.id}' cannot have the regions ${Object.keys(parts).join(', ')}: ${what}`,
      cure,
    );
  if (whole.root.type !== 'parallel')
    throw refuse('it is not parallel', "Give it type: 'parallel'.");
  const regions = Object.entries(parts).map(([name, machine]) =>
    region(name, machine, appearances[name]),
  );
  const taken = regions.find(({ name }) => Object.hasOwn(whole.root.states, name));
  if (taken)
    throw refuse(`it has a region '${taken.name}' already`, 'Give one of them another name.');
  const config: UnknownMachineConfig = {
    ...whole.config,
    context: (args: { readonly input: unknown }) => {
      const own = whole.config.context;
      // XState calls this once without input
      const input = Object(args.input) as Readonly<Record<string, unknown>>;
      return {
        ...(typeof own === 'function' ? own(args) : own),
        ...Object.fromEntries(regions.map(({ name, context }) => [name, context(input[name])])),
      };
    },
    states: {
      ...whole.config.states,
      ...Object.fromEntries(regions.map(({ name, state }) => [name, state])),
    },
  };
  const { actions, guards, delays } = whole.implementations;
  const added = regions.map(({ implementations }) => implementations);
  return createMachine(config, {
    actions: Object.assign({}, actions, ...added.map((one) => one.actions)),
    guards: Object.assign({}, guards, ...added.map((one) => one.guards)),
    delays: Object.assign({}, delays, ...added.map((one) => one.delays)),
  });
}
