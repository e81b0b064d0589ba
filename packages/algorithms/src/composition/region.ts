import { stateNodes } from '@conclave/core/protocol';
import {
  type AnyStateMachine,
  type AnyStateNode,
  type AnyStateNodeConfig,
  type AnyTransitionDefinition,
  type EventObject,
  type MachineContext,
  or,
  stateIn,
} from 'xstate';
import { Lens } from './lens.js';

/** A machine as one region of a larger one. */
export interface Region {
  readonly name: string;
  readonly state: AnyStateNodeConfig;
  /** For `setup`, or the second argument of `createMachine`. */
  readonly implementations: Pick<AnyStateMachine['implementations'], 'actions' | 'guards' | 'delays'>;
  /** The region's first context. */
  readonly context: (input: unknown) => object;
  /** Whether the region is in a state with this tag of the part. */
  readonly has: (tag: string) => ReturnType<typeof stateIn<MachineContext, EventObject, unknown>>;
}

/**
 * `machine` as a region `name`: its context is the field `name` of the whole's, its events and messages have the prefix `name-`, its tags,
 * actions, guards and delays `name:`, and its states are targets below `#name`.
 *
 * @throws {ConclaveError} `bad-protocol` for what would mean something else in a region: final states and `onDone`, wildcards,
 * actors, transitions that target or re-enter the machine itself; a guard `isAnswered`; and a name that is not one word.
 */
export function region(name: string, machine: AnyStateMachine): Region {
  const lens = new Lens(name, machine);
  if (!/^[a-z][a-z0-9]*$/.test(name)) throw lens.refuse('its name is not one word in small letters', "Call it like 'within'.");
  const { actions, guards, delays, actors } = machine.implementations;
  if (Object.hasOwn(guards, 'isAnswered')) throw lens.refuse("it has a guard 'isAnswered', as each region has", 'Call it otherwise.');
  if (Object.keys(actors).length > 0) throw lens.refuse('it brings actors of its own', 'A node is one machine.');
  return {
    name,
    state: stateConfig(machine.root, lens),
    implementations: {
      actions: relabelled(lens, actions, (action, where) => lens.action(action, `action '${where}'`)),
      guards: {
        ...relabelled(lens, guards, (guard, where) => lens.guard(guard, `guard '${where}'`)),
        [lens.label('isAnswered')]: ({ event }) => lens.isAnswered(event),
      },
      delays: relabelled(lens, delays, (delay) => lens.delay(delay)),
    },
    context: (input) => {
      const { context } = machine.config;
      return typeof context === 'function' ? context({ input }) : context;
    },
    has: (tag) => {
      const tagged = stateNodes(machine).filter(({ tags }) => tags.includes(tag));
      if (tagged.length === 0) throw lens.refuse(`it has no state tagged '${tag}'`, 'Tag the states in which it is so.');
      return or(tagged.map(({ path }) => stateIn<MachineContext, EventObject, unknown>(lens.target(path))));
    },
  };
}

function relabelled<M extends object>(lens: Lens, made: M, outer: (one: unknown, name: string) => unknown): M {
  return Object.fromEntries(Object.entries(made).map(([name, one]) => [lens.label(name), outer(one, name)])) as M; // each is of the kind it was
}

function stateConfig(node: AnyStateNode, lens: Lens): AnyStateNodeConfig {
  const where = `state '${node.id}'`;
  requireRegional(node, where, lens);
  const { type, config, description } = node;
  const isRoot = node.parent === undefined;
  const actionsOf = (actions: unknown) => listed(actions).map((action) => lens.action(action, where));
  const guarded = ({ eventType, guard }: AnyTransitionDefinition) => {
    if (eventType === 'chosen') return { guard: lens.answerGuard(guard, where) };
    return guard === undefined ? {} : { guard: lens.guard(guard, where) };
  };
  const transition = (definition: AnyTransitionDefinition) => ({
    ...(definition.target ? { target: definition.target.map(({ path }) => lens.target(path)) } : {}),
    ...guarded(definition),
    ...(definition.description === undefined ? {} : { description: definition.description }),
    actions: actionsOf(definition.actions),
    reenter: definition.reenter,
  });
  const on = [...node.transitions].filter(([descriptor]) => !descriptor.startsWith('xstate.'));
  const delays = new Set(node.after.map(({ delay }) => delay));
  const after = (delay: unknown) => node.after.filter((delayed) => delayed.delay === delay).map(transition);
  const [first] = type === 'compound' ? node.initial.target : [];
  return {
    type,
    ...(isRoot ? { id: lens.name } : {}),
    ...(description === undefined ? {} : { description }),
    ...(first ? { initial: { target: first.key, actions: actionsOf(node.initial.actions) } } : {}),
    ...(type === 'history' ? { history: node.history, ...historyDefault(node, lens) } : {}),
    tags: node.tags.map((tag) => lens.label(tag)),
    entry: actionsOf(config.entry), // not node.entry: XState adds its timers there
    exit: actionsOf(config.exit),
    on: Object.fromEntries(
      on.map(([descriptor, choices]) => [descriptor === 'chosen' ? descriptor : lens.outer(descriptor), choices.map(transition)]),
    ),
    ...(node.always ? { always: node.always.map(transition) } : {}),
    after: Object.fromEntries([...delays].map((delay) => [String(lens.delay(delay)), after(delay)])),
    states: Object.fromEntries(Object.entries(node.states).map(([key, child]) => [key, stateConfig(child, lens)])),
  };
}

const listed = (one: unknown): readonly unknown[] => (one === undefined ? [] : [one].flat());

/** Where a history state leads as long as there is no history; XState keeps that in the config only. */
function historyDefault({ config, machine, id }: AnyStateNode, lens: Lens): { readonly target?: string } {
  const { target }: { readonly target?: unknown } = config;
  if (target === undefined) return {};
  if (typeof target !== 'string') throw lens.refuse(`state '${id}' has several default states`, 'Give it one.');
  return { target: target.startsWith('#') ? lens.target(machine.getStateNodeById(target).path) : target };
}

/** What means something else in a region than in a machine, or cannot be seen from outside. */
function requireRegional(node: AnyStateNode, where: string, lens: Lens): void {
  const { config, transitions, machine } = node;
  const isRoot = node.parent === undefined;
  if (node.type === 'final' || config.onDone !== undefined)
    throw lens.refuse(`${where} is final or waits for one that is`, 'A region has no end; let it rest in a plain state.');
  if (node.invoke.length > 0) throw lens.refuse(`${where} invokes an actor`, 'A node is one machine.');
  const timers = new Set(node.after.map(({ eventType }) => eventType));
  for (const descriptor of transitions.keys()) {
    if (descriptor.includes('*')) throw lens.refuse(`${where} handles '${descriptor}'`, 'Write out which events it means.');
    if (descriptor.startsWith('xstate.') && !timers.has(descriptor))
      throw lens.refuse(`${where} handles '${descriptor}', an event of XState's own`, 'Say it by always, after or raise.');
  }
  for (const { target, reenter } of [...[...transitions.values()].flat(), ...(node.always ?? [])])
    if (target?.includes(machine.root) || (isRoot && reenter))
      throw lens.refuse(`${where} leads to the machine itself`, 'Name the state it leads to.');
}
