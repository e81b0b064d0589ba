/**
 * Which states and transitions of its machines a search has used. A coverage is found after the
 * search, by taking each distinct step once more on copies of the machines that say what they
 * take.
 */

import {
  breaksRules,
  byPlan,
  isOwn,
  matches,
  raisedBy,
  readable,
  roleOf,
  stateNodes,
} from '@conclave/core/internal';
import { eventText, guardText, transitionKey } from '@conclave/core/internal/chart';
import type { Command, LocalState, Message, NodeId } from '@conclave/core/protocol';
import { ConclaveError, type Protocol, type Role } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
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
import type { Watch } from '../search/limits/limits.js';
import type { CompiledWorlds } from '../search/tables/compiled-worlds.js';
import { LocalNode, type Stepper } from '../worlds/local-node.js';
import { type Action, stepOf } from '../worlds/world.js';
import type { Exploration } from './exploration.js';

/** The time of a machine step, measured in table look-ups. */
const stepWeight = 32;

/**
 * Which parts of its machines an exploration has used.
 * @throws {LimitReached}
 */
export const coverage = (...given: Parameters<typeof usageOf>): readonly RoleCoverage[] =>
  usageOf(...given).map(coverageOf);

/**
 * Which parts of its machines an exploration has used, to be joined: a copy of each machine repeats each distinct
 * step and records what it uses. Guards inside actions (`check` in `enqueueActions`) are not
 * covered.
 *
 * `stepper` takes the steps; each of them was confirmed by XState before.
 *
 * @throws {LimitReached}
 */
export function usageOf(
  explored: Pick<CompiledWorlds, 'worlds' | 'distinctSteps'>,
  watch?: Watch,
  stepper: Stepper = byPlan,
): readonly RoleUsage[] {
  const { protocol, topology } = explored.worlds;
  const messages = Object.keys(protocol.messages);
  const { shown } = readable(protocol);
  const isBare = protocol.drawn !== undefined;
  const usage = new Map(
    Object.entries(protocol.roles).map(([name, role]) => [
      name,
      new Usage(name, role, protocol.channels.sameProcess ? [] : messages, shown, isBare),
    ]),
  );
  const copy: Protocol = {
    ...protocol,
    roles: Object.fromEntries([...usage].map(([name, { role }]) => [name, role])),
  };
  const nodes = new Map(
    topology.nodes.map((id) => [id, new LocalNode(id, copy, topology, stepper)]),
  );
  const withheld = new Map<NodeId, Withheld>();
  for (const [id, node] of nodes) {
    const { machine } = roleOf(protocol, id, topology);
    if (guardsCommands(machine, protocol)) withheld.set(id, new Withheld());
    attempt(() => {
      const { state } = node.start();
      withheld.get(id)?.state(state);
    });
  }
  for (const { id, state, action } of explored.distinctSteps()) {
    watch?.tick(stepWeight);
    if (action.type === 'deliver')
      usage.get(roleOf(protocol, id, topology).name)?.deliver(state, action.message);
    if (action.type === 'command') withheld.get(id)?.command(action.command);
    attempt(() => {
      const next = nodes.get(id)?.perform(state, action).state;
      if (next) withheld.get(id)?.state(next);
    });
  }
  for (const role of usage.values()) role.endSteps();
  for (const [id, asked] of withheld)
    for (const [state, command] of asked) {
      watch?.tick(stepWeight);
      nodes.get(id)?.takes(state, command);
    }
  return [...usage.values()].map((role) => role.report());
}

/** Whether a guard decides if the machine takes a command: where it does not, no step asks the guard. */
const guardsCommands = (machine: AnyStateMachine, { commands }: Protocol): boolean =>
  stateNodes(machine).some(({ transitions }) =>
    [...transitions].some(
      ([descriptor, choices]) =>
        choices.some(({ guard }) => guard !== undefined) &&
        Object.keys(commands).some((type) => matches(descriptor, type)),
    ),
  );

/** Each state of a node, beside each of its commands: most commands come only where they are taken. */
class Withheld implements Iterable<readonly [LocalState, Command]> {
  readonly #states = new Map<string, LocalState>();
  readonly #commands = new Map<string, Command>();

  state(state: LocalState): void {
    this.#states.set(JSON.stringify([state.value, state.context]), state);
  }

  command(command: Command): void {
    this.#commands.set(JSON.stringify(command), command);
  }

  *[Symbol.iterator]() {
    for (const state of this.#states.values())
      for (const command of this.#commands.values()) yield [state, command] as const;
  }
}

/** The used parts of one role. */
class Usage {
  /** The role with a recording machine. */
  readonly role: Role;
  readonly #watched: WatchedMachine;
  /** The messages that some state handles. */
  readonly #handled: readonly string[];
  /** Such as `wanted: reply`. */
  readonly #delivered = new Set<string>();
  /** The transitions whose guard a step has asked. */
  readonly #asked = new Set<WatchedTransition>();

  constructor(
    readonly name: string,
    role: Role,
    messages: readonly string[],
    shown: (text: string) => string,
    private readonly isBare: boolean,
  ) {
    this.#watched = watchMachine(role.machine, shown, isBare ? isExplicit : undefined);
    this.role = { ...role, machine: this.#watched.machine };
    const descriptors = stateNodes(role.machine).flatMap(({ transitions }) => [
      ...transitions.keys(),
    ]);
    this.#handled = messages.filter((type) =>
      descriptors.some((descriptor) => matches(descriptor, type)),
    );
  }

  deliver({ value }: LocalState, { type }: Message): void {
    for (const path of innermostPaths(this.#watched.machine.root, value))
      this.#delivered.add(`${path}: ${type}`);
  }

  /** All steps were taken: a guard that none of them has asked stays one that nobody asked. */
  endSteps(): void {
    for (const transition of this.#watched.transitions)
      if (transition.answers.size > 0) this.#asked.add(transition);
  }

  report(): RoleUsage {
    const { transitions, states } = this.#watched;
    return {
      role: this.name,
      transitions: transitions.map((transition) => ({
        text: transition.text,
        taken: transition.taken,
        answers: this.#asked.has(transition) ? [...transition.answers] : [],
      })),
      states: states.map(({ path, entered }) => ({ path, entered })),
      handled: this.#handled,
      delivered: [...this.#delivered],
      events: this.isBare ? eventsOf(this.#watched.machine) : [],
    };
  }
}

/** Whether it says more than that a machine ignores an event wherever no state takes it. */
export const isExplicit = ({ source, target, guard, actions }: AnyTransitionDefinition): boolean =>
  source.parent !== undefined || !!target || guard !== undefined || actions.length > 0;

/** What the states of a machine list, or it raises, with the innermost states that take it. */
function eventsOf(machine: AnyStateMachine): RoleUsage['events'] {
  const nodes = stateNodes(machine);
  const inner = nodes.filter(isInnermost);
  const types = nodes.flatMap(({ transitions }) => [...transitions.keys()].filter(isOwn));
  const isWithin = (node: AnyStateNode, outer: AnyStateNode) =>
    outer.path.every((key, depth) => node.path[depth] === key);
  return [...new Set([...types, ...raisedBy(machine)])].map((type) => {
    const taking = nodes.filter(({ transitions }) =>
      [...transitions.keys()].some((descriptor) => matches(descriptor, type)),
    );
    const states = inner.filter((node) => taking.some((outer) => isWithin(node, outer)));
    return { type, states: states.map(pathOf) };
  });
}

const isInnermost = ({ type }: AnyStateNode): boolean => type === 'atomic' || type === 'final';

/**
 * Ignores a step that fails, which is reported as a violation; what it used before it failed
 * counts.
 */
function attempt(run: () => unknown): void {
  try {
    run();
  } catch (error) {
    if (!(error instanceof ConclaveError)) throw error;
  }
}

/** Which parts of a role's statechart an exploration has used. */
export type RoleCoverage = NonNullable<Exploration['coverage']>[number];

/** What was used of one role's statechart, as plain data: of several searches it can be joined. */
export interface RoleUsage {
  readonly role: string;
  readonly transitions: readonly {
    readonly text: string;
    readonly taken: boolean;
    /** The results of its guard. */
    readonly answers: readonly boolean[];
  }[];
  /** The innermost states. */
  readonly states: readonly { readonly path: string; readonly entered: boolean }[];
  /** The messages that some state handles. */
  readonly handled: readonly string[];
  /** Such as `wanted: reply`. */
  readonly delivered: readonly string[];
  /** Of a bare machine: its events, and the innermost states that take them. */
  readonly events: readonly { readonly type: string; readonly states: readonly string[] }[];
}

export function coverageOf({
  role,
  transitions,
  states,
  handled,
  delivered,
  events,
}: RoleUsage): RoleCoverage {
  const missed = transitions.filter(({ taken }) => !taken);
  const asked = transitions.filter(({ answers }) => answers.length > 0);
  const entered = states.filter((state) => state.entered);
  const pairs = entered.flatMap(({ path }) => handled.map((type) => `${path}: ${type}`));
  const arrived = new Set(delivered);
  const reached = new Set(entered.map(({ path }) => path));
  const untaken = events.filter((event) => !event.states.some((path) => reached.has(path)));
  return {
    role,
    transitions: transitions.length,
    taken: transitions.length - missed.length,
    missed: missed.map(({ text }) => text),
    guards: {
      asked: asked.length,
      neverTrue: asked.filter(({ answers }) => !answers.includes(true)).map(({ text }) => text),
      neverFalse: asked.filter(({ answers }) => !answers.includes(false)).map(({ text }) => text),
    },
    unentered: states.filter((state) => !state.entered).map(({ path }) => path),
    undelivered: pairs.filter((pair) => !arrived.has(pair)),
    ...(untaken.length > 0 && { untaken: untaken.map(({ type }) => type) }),
  };
}

/** What any of several searches of one protocol has used. */
export function joinedUsage([
  first,
  ...others
]: readonly (readonly RoleUsage[])[]): readonly RoleUsage[] {
  if (!first) return [];
  return first.map((usage, place) => {
    const all = [usage, ...others.flatMap((roles) => roles[place] ?? [])]; // in the same order
    return {
      ...usage,
      transitions: usage.transitions.map(({ text }, index) => ({
        text,
        taken: all.some(({ transitions }) => transitions[index]?.taken),
        answers: [...new Set(all.flatMap(({ transitions }) => transitions[index]?.answers ?? []))],
      })),
      states: usage.states.map(({ path }, index) => ({
        path,
        entered: all.some(({ states }) => states[index]?.entered),
      })),
      delivered: [...new Set(all.flatMap(({ delivered }) => delivered))],
    };
  });
}

/** A protocol that behaves the same and records the transitions that its machines take. */
interface Recording {
  readonly protocol: Protocol;
  readonly taken: string[];
}

const recordings = new WeakMap<Protocol, Recording>();

/**
 * The transitions that node `id` takes, from `state`, in a step by one of its actions, in XState's
 * order. Each has the key of its reaction in the chart: source, event and position among the
 * alternatives, such as `wanted request 1`. An action of each transition records it, so one that
 * another region pre-empts is not there. Where the machine fails, those up to then. For a machine
 * that is not compiled (see `compile`): also those that lead on from its first state.
 */
export function transitionsOf(
  protocol: Protocol,
  topology: Topology,
  id: NodeId,
  state: LocalState,
  action: Action,
): readonly string[] {
  const recording = recordings.get(protocol) ?? recordingOf(protocol);
  recordings.set(protocol, recording);
  // XState would begin at the start, and take what leads on from there
  const node = new LocalNode(id, recording.protocol, topology, byPlan);
  // Compiling takes transitions, too; the second time, the plan is there.
  for (const _ of ['compile', 'take']) {
    recording.taken.length = 0;
    try {
      node.perform(state, stepOf(action) ?? action); // a crash in the middle of a step has taken it
    } catch (error) {
      if (!breaksRules(error)) throw error;
    }
  }
  return [...recording.taken];
}

function recordingOf(protocol: Protocol): Recording {
  const taken: string[] = [];
  const roles = Object.entries(protocol.roles).map(([name, role]) => [
    name,
    { ...role, machine: recordMachine(role.machine, taken) },
  ]);
  return { protocol: { ...protocol, roles: Object.fromEntries(roles) }, taken };
}

function recordMachine(original: AnyStateMachine, taken: string[]): AnyStateMachine {
  const machine = original.provide({});
  for (const node of stateNodes(machine))
    for (const choices of [node.always ?? [], ...node.transitions.values()])
      for (const [index, transition] of choices.entries()) {
        const key = transitionKey(transition, index);
        // log is the only action that changes nothing, not even whether XState regards the state as
        // changed.
        const take = log(() => {
          taken.push(key);
        });
        transition.actions = [take, ...transition.actions];
      }
  return machine;
}

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
 * leaves none: its actions are not run. `shown`: of the texts of its transitions. `isCounted`: which
 * transitions it records.
 */
export function watchMachine(
  original: AnyStateMachine,
  shown = (text: string) => text,
  isCounted: (transition: AnyTransitionDefinition) => boolean = () => true,
): WatchedMachine {
  const machine = original.provide({});
  const nodes = stateNodes(machine);
  return {
    machine,
    transitions: nodes
      .flatMap((node) => [...[...node.transitions.values()].flat(), ...(node.always ?? [])])
      .filter(isCounted)
      .map((transition) => watchTransition(transition, shown)),
    states: nodes.filter(isInnermost).map(watchState),
  };
}

type AnyGuard = GuardPredicate<MachineContext, EventObject, unknown, ParameterizedObject>;

function watchTransition(
  transition: AnyTransitionDefinition,
  shown: (text: string) => string,
): WatchedTransition {
  const { guard, actions } = transition;
  const watched: WatchedTransition = {
    text: shown(textOf(transition)),
    taken: false,
    answers: new Set(),
  };
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
