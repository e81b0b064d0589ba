/**
 * A statechart as XState users write it, made into one that keeps the contract of a node.
 *
 * A machine of an application does more than a node may: it invokes and spawns actors, and it runs
 * plain functions. None of that can be repeated at will by a search. So both become surroundings:
 *
 * - *A plain function is an effect.* It is not run. The machine goes on as if it had no influence on
 *   what the machine reads, which each verdict says (`effects`).
 * - *An actor is the environment.* While the state that invokes it is active and the actor has not
 *   ended, it may end at any moment, with one of the outputs or errors that are declared for it:
 *   an event of its own, by the name that XState gives it. It is told in the context, in the field
 *   `runningActors`, whether an actor runs, since the state alone does not say so once it has ended. What
 *   it sends on the way are events of the machine, which the environment may send at any moment.
 *   An actor that is a statechart, too, is a node of its own instead: see invoked.ts.
 *
 * What is built in stays as it is: `assign`, `raise`, `cancel`, `log`, `enqueueActions`, guards,
 * delays, history. What a machine emits becomes a notification of the node; what it sends to another
 * machine of its system by `sendTo`, a message.
 *
 *     idle ──fetch──▸ loading (invokes load) ──xstate.done.actor.load──▸ shown
 *                                            ──xstate.error.actor.load─▸ failed
 */
import { type AnyStateMachine, type AnyStateNode, assign, emit, enqueueActions } from 'xstate';
import { ConclaveError } from '../../base/error.js';
import { emittedEffect } from '../effects.js';
import { type Effect, type Message, type NodeId, notify, send } from '../node.js';
import { boundMicrosteps, stateNodes } from '../regions.js';

/** What a state invokes. */
export interface InvokedActor {
  /** Its id within the machine, as XState gives it. */
  readonly id: string;
  /** What it is declared by: the name of its logic, or its id where the logic stands in the state. */
  readonly name: string;
  /** Whether it is a machine, too. */
  readonly isMachine: boolean;
  /** Whether the machine goes on when it ends, fails, or tells its snapshot. */
  readonly takes: { readonly done: boolean; readonly error: boolean; readonly snapshot: boolean };
}

/** Which machines of its system a machine sends events to. */
export interface Place {
  /** Its own node. */
  readonly self?: NodeId;
  /** Those that it names by their node. */
  readonly peers?: readonly NodeId[];
  /** Where it is invoked itself: the node of the machine that does, and its own id there. */
  readonly parent?: { readonly node: NodeId; readonly actor: string };
  /** By id of an actor that it invokes: the node, where it has one. */
  readonly children?: ReadonlyMap<string, NodeId>;
}

export interface Modelled {
  readonly machine: AnyStateMachine;
  readonly actors: readonly InvokedActor[];
  /** The names of the actions that are not run. Some are known only once a step has named them. */
  readonly effects: ReadonlySet<string>;
}

/** The field of the context that says which actors run. */
export const actorsField = 'runningActors';

export const doneOf = (id: string): string => `xstate.done.actor.${id}`;
export const errorOf = (id: string): string => `xstate.error.actor.${id}`;
export const snapshotOf = (id: string): string => `xstate.snapshot.${id}`;

/** The messages by which a parent starts and stops an actor that is a node. */
export const startOf = (id: string): string => `xstate.start.actor.${id}`;
export const stopOf = (id: string): string => `xstate.stop.actor.${id}`;

/** Whether a message stops its receiver. */
export const stops = ({ type }: { readonly type: string }): boolean => type.startsWith(stopOf(''));

/** Of the event by which an actor ends or tells its snapshot: which it is, and the actor's id. */
export function partOfEnd(type: string): { readonly part: string; readonly id: string } {
  const [, part = '', id = ''] =
    /^xstate\.(done|error|snapshot)\.(?:actor\.)?(.*)$/.exec(type) ?? [];
  return { part, id };
}

export type Config = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Config =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const listOf = (value: unknown): readonly unknown[] =>
  value === undefined ? [] : Array.isArray(value) ? value : [value];
export const mapped = (record: unknown, change: (value: unknown, key: string) => unknown): Config =>
  Object.fromEntries(
    Object.entries(isObject(record) ? record : {}).map(([key, value]) => [key, change(value, key)]),
  );

/** An action that does nothing, in place of one that is not run. */
const none = /* @__PURE__ */ assign({});

/** XState's own shape of its actions: functions with fields. */
interface BuiltIn {
  readonly type: string;
  readonly resolve: unknown;
  readonly event?: unknown;
  readonly to?: unknown;
  readonly delay?: unknown;
  readonly assignment?: unknown;
  readonly collect?: unknown;
}

const builtIn = (action: unknown): BuiltIn | undefined =>
  typeof action === 'function' && 'resolve' in action
    ? (action as unknown as BuiltIn) // its shape, see above
    : undefined;

/** XState's name of the receiver of `sendParent`. */
const toParent = '#_parent';

/** Those that concern other actors. */
const ofActors = new Set(['xstate.sendTo', 'xstate.spawnChild', 'xstate.stopChild']);

type Run = (...args: readonly unknown[]) => unknown;
export const isRun = (value: unknown): value is Run => typeof value === 'function';

/** Its shape decides: a module may import another copy of XState than Conclave. */
export const isMachine = (value: unknown): value is AnyStateMachine =>
  typeof value === 'object' &&
  value !== null &&
  ['config', 'root', 'implementations', 'getTransitionData'].every((part) => part in value);

/** A copy of a built-in action with other fields. */
const withFields = (action: BuiltIn, fields: Partial<BuiltIn>): unknown =>
  Object.assign(() => undefined, action, fields);

/** What a machine emits, as an effect of a node. */
const effectOf = (emitted: unknown): unknown =>
  emittedEffect(emitted) ?? (isObject(emitted) ? notify(emitted as { type: string }) : emitted);

class Modelling {
  readonly effects = new Set<string>();
  readonly actors: InvokedActor[] = [];

  constructor(
    private readonly machine: AnyStateMachine,
    private readonly place: Place,
  ) {}

  modelled(): AnyStateMachine {
    const { config, implementations, root } = this.machine;
    const actions = mapped(
      implementations.actions,
      (action, name) => this.#action(action, name) ?? none,
    );
    const changed = this.#state(config, root);
    const missing = Object.fromEntries([...this.effects].map((name) => [name, none]));
    return Reflect.construct(this.machine.constructor, [
      { ...changed, ...this.#context(config.context) },
      { ...implementations, actions: { ...missing, ...actions }, actors: {} },
    ]) as AnyStateMachine; // of the same class
  }

  /** With the actors that run, where there are some; what `spawn` would make is a name. */
  #context(context: unknown): Config {
    const withActors = (own: Config): Config => {
      if (this.actors.length + (this.place.children?.size ?? 0) === 0) return own;
      if (!Object.hasOwn(own, actorsField)) return { ...own, [actorsField]: {} };
      throw new ConclaveError(
        'bad-protocol',
        `Machine '${this.machine.id}': its context has a field '${actorsField}', which says here which actors run`,
        'Rename the field.',
      );
    };
    if (!isRun(context)) return { context: withActors(isObject(context) ? context : {}) };
    return { context: (args: object) => withActors(Object(context({ ...args, spawn: spawned }))) };
  }

  #state(config: Config, node: AnyStateNode): Config {
    const {
      invoke: _,
      entry,
      exit,
      on,
      always,
      after,
      onDone,
      initial,
      states,
      ...others
    } = config;
    const invoked = node.invoke.map((one) => this.#invoked(one, config, node));
    const ends = invoked.flatMap(({ ends: all }) => all);
    const changed: Record<string, unknown> = {
      ...others,
      entry: [...invoked.flatMap(({ starts }) => starts), ...this.#actions(entry)],
      exit: [...this.#actions(exit), ...invoked.flatMap(({ stops }) => stops)],
      on: {
        ...mapped(on, (transitions) => this.#transitions(transitions ?? {})), // none: it is ignored
        ...Object.fromEntries(
          ends.map(([event, transitions]) => [
            event,
            [...this.#transitions(isObject(on) ? on[event] : undefined), ...transitions],
          ]),
        ),
      },
    };
    if (always !== undefined) changed.always = this.#transitions(always);
    if (after !== undefined) changed.after = mapped(after, (one) => this.#delayed(one));
    if (onDone !== undefined) changed.onDone = this.#transitions(onDone);
    if (initial !== undefined) changed.initial = this.#transition(initial);
    if (states !== undefined)
      changed.states = mapped(states, (one, key) =>
        this.#state(isObject(one) ? one : {}, node.states[key] as AnyStateNode),
      );
    return changed;
  }

  /** An actor of a state, and the transitions at its end. */
  #invoked(invoke: AnyStateNode['invoke'][number], config: Config, node: AnyStateNode) {
    const { id, src, onDone, onError, onSnapshot } = invoke;
    const child = this.place.children?.get(id);
    if (child !== undefined) return this.#child(child, invoke, node);
    const on = isObject(config.on) ? config.on : {};
    const listed = (event: string, short: unknown) =>
      short !== undefined ||
      Object.hasOwn(on, event) ||
      stateNodes(this.machine).some(({ transitions }) => transitions.has(event));
    const takes = {
      done: listed(doneOf(id), onDone),
      error: listed(errorOf(id), onError),
      snapshot: listed(snapshotOf(id), onSnapshot),
    };
    this.actors.push({
      ...{ id, name: nameOf({ id, src }, node), takes },
      isMachine: isMachine(logicOf(this.machine, node, invoke)),
    });
    /** An end that no transition takes is swallowed. */
    const ended = (short: unknown) => {
      const taken = short === undefined ? [] : this.#transitions(short);
      const last = taken.at(-1);
      const isTaken = isObject(last) && last.guard === undefined;
      return [...taken, ...(isTaken ? [] : [{}])].map((one) => withAction(one, runs(id, false)));
    };
    const ends: (readonly [string, readonly unknown[]])[] = [
      [doneOf(id), ended(onDone)],
      [errorOf(id), ended(onError)],
      ...(takes.snapshot ? [[snapshotOf(id), this.#transitions(onSnapshot)] as const] : []),
    ];
    return { ends, starts: [runs(id, true)], stops: [runs(id, false)] };
  }

  /** A machine of a state that is a node of its own, and the transitions at its end. */
  #child(child: NodeId, { id, onDone }: AnyStateNode['invoke'][number], node: AnyStateNode) {
    const { input } = declarationOf(node, id);
    const mayHaveInput = hasInput(this.machine, id);
    const start = enqueueActions(({ enqueue, ...args }) => {
      const given = isRun(input) ? input({ ...args, self: this.place.self }) : input;
      const message = { type: startOf(id), ...(mayHaveInput && { input: given ?? null }) };
      enqueue.emit(send(child, message));
    });
    /** Also of one that has ended: the end may be that of the one before. */
    const stop = emit(send(child, { type: stopOf(id) }) as never);
    return {
      ends: onDone === undefined ? [] : [[doneOf(id), this.#transitions(onDone)] as const],
      starts: [runs(id, true), start],
      stops: [stop, runs(id, false)],
    };
  }

  #transitions(transitions: unknown): readonly unknown[] {
    return listOf(transitions).map((one) => this.#transition(one));
  }

  /** Within a list of `after`, XState takes a target alone for a transition without a target. */
  #delayed(transitions: unknown): unknown {
    if (!Array.isArray(transitions)) return this.#transition(transitions);
    return transitions.map((one) => (isObject(one) ? this.#transition(one) : {}));
  }

  #transition(transition: unknown): unknown {
    if (!isObject(transition)) return transition === undefined ? {} : { target: transition };
    if (transition.actions === undefined) return transition;
    return { ...transition, actions: this.#actions(transition.actions) };
  }

  #actions(actions: unknown): readonly unknown[] {
    return listOf(actions).flatMap((action) => {
      if (typeof action === 'function') return this.#action(action) ?? [];
      const name = isObject(action) ? String(action.type) : String(action);
      if (!this.#isKnown(name)) this.effects.add(name);
      return [action];
    });
  }

  #isKnown(name: string): boolean {
    return Object.hasOwn(this.machine.implementations.actions, name);
  }

  /** The action that takes its place; undefined where it is not run. */
  #action(action: unknown, name?: string): unknown {
    const made = builtIn(action);
    if (made?.type === 'xstate.sendTo' && this.#mayReach(made.to)) return this.#sending(made);
    if (made === undefined || ofActors.has(made.type)) {
      this.effects.add(
        name ?? ((made?.type.replace('xstate.', '') ?? Object(action).name) || '(a function)'),
      );
      return undefined;
    }
    const { event, assignment, collect } = made;
    if (made.type === 'xstate.emit')
      return withFields(made, {
        event: isRun(event)
          ? (...args: readonly unknown[]) => effectOf(event(...args))
          : effectOf(event),
      });
    if (made.type === 'xstate.assign')
      return withFields(made, {
        assignment: assigning(assignment),
      });
    if (made.type === 'xstate.enqueueActions' && isRun(collect))
      return withFields(made, {
        collect: (args: Config, params: unknown) =>
          collect({ ...args, enqueue: this.#enqueue(args.enqueue as Run & Config, args) }, params),
      });
    return action;
  }

  /** Whether an action may send to another machine of the system. */
  #mayReach(to: unknown): boolean {
    const { peers = [], children = new Map<string, NodeId>(), parent } = this.place;
    return isRun(to)
      ? peers.length + children.size > 0 || parent !== undefined
      : [...peers, ...children.keys(), parent && toParent, parent?.node].includes(String(to));
  }

  /** In place of `sendTo`: a message of the node. */
  #sending({ to, event, delay }: BuiltIn): unknown {
    if (delay !== undefined)
      throw new ConclaveError(
        'bad-protocol',
        `Machine '${this.machine.id}' sends to '${isRun(to) ? 'a machine' : to}' after a delay`,
        'Wait by after, and send then.',
      );
    return enqueueActions(({ enqueue, ...args }) => {
      this.#send(args, [to, event], (effect) => enqueue.emit(effect));
    });
  }

  /** Emits what `sendTo` sends to another machine of the system; to any other actor it is an effect. */
  #send(
    args: Config,
    [to, event]: readonly [to: unknown, event: unknown],
    emit: (effect: Effect<Message>) => void,
  ): void {
    const { parent } = this.place;
    if (parent && Object(args.event).type === stopOf(parent.actor)) return; // it runs no exit actions
    const named = partOf(to, { ...args, self: { _parent: parent?.node } }, 'the receiver');
    const receiver = this.#nodeOf(named, Object(args.context)[actorsField]);
    if (receiver === undefined) {
      this.effects.add('sendTo');
      return;
    }
    const sent = Object.entries(Object(partOf(event, args, 'the event')));
    const message = Object.fromEntries(sent.filter(([field]) => field !== 'from')) as Config &
      Message; // an event
    if (message.type.startsWith('xstate.'))
      throw new Error(`it sends '${message.type}', a name of XState's own events`);
    emit(send(receiver, message));
  }

  /**
   * The node that a receiver is; undefined for any other actor.
   * @throws as XState does, for a child that is not there.
   */
  #nodeOf(named: unknown, running: Config | undefined): NodeId | undefined {
    const { peers = [], children = new Map<string, NodeId>(), parent } = this.place;
    if (typeof named !== 'string') return undefined;
    if (named === toParent) return parent?.node;
    const child = children.get(named);
    if (child !== undefined && running?.[named] !== true)
      throw new Error(`there is no actor '${named}': the state that invokes it is not active`);
    const nodes = [...peers, ...children.values(), parent?.node];
    return child ?? (nodes.includes(named) ? named : undefined);
  }

  /** `enqueue` of `enqueueActions`: what is not run is not enqueued. */
  #enqueue(enqueue: Run & Config, args: Config): Run {
    const put = (action: unknown) => {
      const name = isObject(action) ? String(action.type) : action;
      const isMissing = typeof name === 'string' && !this.#isKnown(name);
      for (const one of this.#actions(action)) if (!isMissing) enqueue(one);
    };
    const of = (type: string) => () => {
      this.effects.add(type);
    };
    const { emit, assign: assigns } = enqueue;
    const sendTo = (to: unknown, event: unknown, options?: unknown) => {
      const mayReach = this.#mayReach(to);
      if (mayReach && Object(options).delay !== undefined)
        throw new Error('it sends after a delay: wait by after, and send then');
      if (mayReach) this.#send(args, [to, event], (effect) => isRun(emit) && emit(effect));
      else this.effects.add('sendTo');
    };
    return Object.assign(put, enqueue, {
      emit: (event: unknown) => isRun(emit) && emit(effectOf(event)),
      assign: (assignment: unknown) => isRun(assigns) && assigns(assigning(assignment)),
      sendTo,
      sendParent: (event: unknown, options?: unknown) =>
        sendTo(this.place.parent?.node, event, options),
      spawnChild: of('spawnChild'),
      stopChild: of('stopChild'),
    });
  }
}

/** Says in the context whether the actor runs. */
const runs = (id: string, isRunning: boolean) =>
  assign(({ context }) => ({
    [actorsField]: { ...Object(context[actorsField]), [id]: isRunning },
  }));

const withAction = (transition: unknown, action: unknown): Config =>
  isObject(transition)
    ? { ...transition, actions: [action, ...listOf(transition.actions)] }
    : { target: transition, actions: action };

/** In place of the reference to an actor: its id. */
export const spawned = (_logic: unknown, options: unknown): string =>
  isObject(options) && typeof options.id === 'string' ? options.id : 'an actor';

const spawning =
  (run: Run) =>
  (args: object, params: unknown): unknown =>
    run({ ...args, spawn: spawned }, params);

/** A part of `sendTo`, which may be a function; an error in it says where it comes from. */
function partOf(part: unknown, args: object, what: string): unknown {
  if (!isRun(part)) return part;
  try {
    return part(args);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`${what} of its sendTo cannot be computed: ${why}`, { cause: error });
  }
}

/** An assignment, whole or by field, whose `spawn` is {@link spawned}. */
const assigning = (assignment: unknown): unknown =>
  isRun(assignment)
    ? spawning(assignment)
    : mapped(assignment, (field) => (isRun(field) ? spawning(field) : field));

const isNamed = (src: unknown): src is string =>
  typeof src === 'string' && !src.startsWith('xstate.invoke.');

/** What an actor is called: by its logic, else by its id, which XState may have made of its state. */
export const nameOf = (
  { id, src }: { readonly id: string; readonly src: unknown },
  node: AnyStateNode,
): string => (isNamed(src) ? src : /^\d+\./.test(id) ? (node.key ?? id) : id);

/** The declaration of an invoked actor in its state. */
export const declarationOf = (node: AnyStateNode, id: string): Config =>
  Object(listOf(node.config.invoke)[node.invoke.findIndex((one) => one.id === id)]);

/** Whether some state gives an actor an input. */
export const hasInput = (machine: AnyStateMachine, id: string): boolean =>
  stateNodes(machine).some((node) => declarationOf(node, id).input !== undefined);

/** What an invoked actor runs. */
export const logicOf = (
  machine: AnyStateMachine,
  node: AnyStateNode,
  { id, src }: { readonly id: string; readonly src: unknown },
): unknown => (isNamed(src) ? machine.implementations.actors[src] : declarationOf(node, id).src);

/** All actions of a machine, as far as it names them before it runs. */
export const actionsIn = (machine: AnyStateMachine): readonly unknown[] => [
  ...Object.values(machine.implementations.actions),
  ...stateNodes(machine).flatMap(({ entry, exit, transitions, always }) => [
    ...entry,
    ...exit,
    ...[...transitions.values(), always ?? []].flat().flatMap(({ actions }) => actions),
  ]),
];

/** `machine` as a node: see the head of this module. */
export function modelled(machine: AnyStateMachine, place: Place = {}): Modelled {
  const modelling = new Modelling(machine, place);
  const made = modelling.modelled();
  boundMicrosteps(made); // before it is looked at
  return { machine: made, actors: modelling.actors, effects: modelling.effects };
}
