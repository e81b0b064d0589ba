import { ConclaveError, type Effect, type Message } from '@conclave/core/protocol';
import {
  type AnyEventObject,
  type AnyStateMachine,
  type AnyTransitionDefinition,
  and,
  assign,
  cancel,
  type EventObject,
  emit,
  enqueueActions,
  type GuardPredicate,
  type MachineContext,
  not,
  or,
  type ParameterizedObject,
  raise,
  type StateValue,
  stateIn,
  type UnknownAction,
} from 'xstate';

/**
 * How a machine appears in the whole. By default its names have a prefix and its context is a
 * field, so that several parts do not clash.
 */
export interface Appearance {
  /**
   * It is the only part: its tags, commands, messages, notifications and context are those of the
   * whole.
   */
  readonly sole?: boolean;
  /** The whole enters it again, so nothing may survive its exit: no history, no delayed raise. */
  readonly again?: boolean;
  /** The fields that its messages carry in the whole in addition, from the context of the whole. */
  readonly stamp?: (context: MachineContext) => object;
  /**
   * The types of its notifications that the whole gets as events, too: `deliver` of the part
   * `group` as `group-deliver`.
   */
  readonly told?: readonly string[];
  /** The types of its commands that the whole never gives it. */
  readonly unused?: readonly string[];
  /**
   * By type of event: a guard of the whole, which each of its transitions on such an event needs in
   * addition to its own.
   */
  readonly needs?: Readonly<Record<string, string>>;
}

/** The argument of the function given to `enqueueActions`. */
interface Collecting extends Args {
  readonly enqueue: (action: AnyAction) => void;
  readonly check: (guard: AnyGuard) => boolean;
}

/**
 * The actions and guards of one machine as those of a region `name` of a larger one. They see the
 * context of the region, which is the field `name` of the whole, and events without the region's
 * prefix. What they send and raise gets the prefix.
 */
export class Projection {
  constructor(
    readonly name: string,
    private readonly machine: AnyStateMachine,
    private readonly appearance: Appearance = {},
  ) {}

  /**
   * The type that an event, message or notification of the part has in the whole: `within-request`.
   */
  outer(type: string): string {
    return this.appearance.sole ? type : `${this.name}-${type}`;
  }

  /**
   * The name that an action, guard, delay or timer of the part has in the whole: `within:reply`.
   */
  label(name: string): string {
    return `${this.name}:${name}`;
  }

  /** The name that a tag of the part has in the whole: `within:critical`. */
  tag(name: string): string {
    return this.appearance.sole ? name : this.label(name);
  }

  /** A path in the part as a target in the whole: `#within.released.away`. */
  target(path: readonly string[]): string {
    return `#${[this.name, ...path.map((key) => key.replace(/[\\.]/g, '\\$&'))].join('.')}`;
  }

  /** Whether `event` is the host's answer to a choice of this part, which its options show. */
  isAnswered = (event: EventObject): boolean =>
    event.type === 'chosen' && this.#own(event, 'value') !== undefined;

  /** @throws {ConclaveError} `bad-protocol` for an action that cannot be projected. */
  action(action: unknown, where: string): AnyAction {
    return typeof action === 'function'
      ? this.#builtInAction(shapeOf(action), where)
      : this.#named<AnyAction>(action);
  }

  /** @throws {ConclaveError} `bad-protocol` for a guard that cannot be projected. */
  guard(guard: unknown, where: string): AnyGuard {
    if (typeof guard !== 'function') return this.#named<AnyGuard>(guard);
    const made = shapeOf(guard);
    // any other function is a predicate
    if (made.check === undefined) return this.#through(guard as Expression) as AnyGuard;
    if (made.stateValue !== undefined) return stateIn(this.#stateValue(made.stateValue));
    // XState's own type distinguishes names from functions
    const guards = (made.guards ?? []).map((inner) => this.guard(inner, where) as Predicate);
    const [only] = guards;
    if (made.check === checks.and) return and(guards);
    if (made.check === checks.or) return or(guards);
    if (made.check === checks.not && only) return not(only);
    throw this.refuse(
      `${where} uses the guard ${made.name}, which only XState knows`,
      'Combine guards by and, or, not and stateIn.',
    );
  }

  /**
   * The guard of a transition on an event; all regions receive `chosen`, and only the region that
   * asked handles it.
   */
  eventGuard(type: string, guard: unknown, where: string): AnyGuard | undefined {
    const { sole, needs = {} } = this.appearance;
    const needed =
      type === 'chosen' && !sole
        ? this.#named<Predicate>('isAnswered')
        : (needs[type] as Predicate | undefined);
    const own = guard === undefined ? undefined : (this.guard(guard, where) as Predicate);
    // XState's own type distinguishes names from functions
    return (needed && own ? and([needed, own]) : (needed ?? own)) as AnyGuard | undefined;
  }

  /** Whether the whole never gives the part an event of this type. */
  isUnused(type: string): boolean {
    return this.appearance.unused?.includes(type) ?? false;
  }

  /** A delay of the part: a number or a function stays one, a name gets the region's label. */
  delay(delay: unknown): unknown {
    return typeof delay === 'string' ? this.label(delay) : this.#through(delay);
  }

  refuse(what: string, cure: string): ConclaveError {
    return new ConclaveError(
      'bad-protocol',
      `Machine '${this.machine.id}' cannot be a region '${this.name}': ${what}`,
      cure,
    );
  }

  #named<N>(named: unknown): N {
    // XState's own two ways of naming one
    if (typeof named === 'string') return this.label(named) as N;
    const { type, params } = named as { readonly type: string; readonly params?: unknown };
    return {
      type: this.label(type),
      ...(params === undefined ? {} : { params: this.#through(params) }),
    } as N;
  }

  #builtInAction(made: BuiltIn, where: string): AnyAction {
    switch (made.type) {
      case 'xstate.assign':
        return assign((args, params: unknown) => {
          const inner = this.#inner(args);
          const changes = changesOf(made.assignment, inner, params);
          return this.appearance.sole ? changes : { [this.name]: { ...inner.context, ...changes } };
        }) as AnyAction;
      case 'xstate.emit':
        return this.#emitted((args, params) =>
          this.#effect(resultOf(made.event, this.#inner(args), params), args),
        );
      case 'xstate.enqueueActions':
        return enqueueActions((args, params: unknown) => {
          made.collect?.(this.#collecting(args, where), params);
        }) as AnyAction;
      case 'xstate.raise': {
        const raised = (event: EventObject) => ({ ...event, type: this.outer(event.type) });
        const { event, id, delay } = made;
        if (delay !== undefined && this.appearance.again)
          throw this.refuse(
            `${where} raises an event after a delay, which its exit does not cancel`,
            'Use after.',
          );
        const outer =
          typeof event === 'function'
            ? (args: Args, params: unknown) =>
                raised(resultOf(event, this.#inner(args), params) as EventObject)
            : raised(event as EventObject);
        const options = {
          ...(id === undefined ? {} : { id: this.label(String(id)) }),
          ...(delay === undefined ? {} : { delay: this.delay(delay) }),
        };
        return raise(outer, options as object) as AnyAction;
      }
      case 'xstate.cancel':
        return cancel((args, params: unknown) =>
          this.label(String(resultOf(made.sendId, this.#inner(args), params))),
        ) as AnyAction;
      default:
        throw this.refuse(
          `${where} acts by ${made.type ?? 'a plain function'}`,
          'The actions of a part are assign, emit, enqueueActions, raise and cancel only.',
        );
    }
  }

  /** The action that emits `effect`. */
  #emitted(effect: (args: Args, params: unknown) => AnyEventObject): AnyAction {
    const { told } = this.appearance;
    if (!told) return emit(effect) as AnyAction;
    const types = new Set(told.map((type) => this.outer(type)));
    return enqueueActions(({ enqueue, ...args }, params: unknown) => {
      const emitted = effect(args, params);
      enqueue.emit(emitted);
      if (emitted.type === 'notify' && types.has(emitted.notification.type))
        enqueue.raise(emitted.notification);
    }) as AnyAction;
  }

  /** An expression of the part as one of the whole; a plain value stays as it is. */
  #through(expression: unknown): unknown {
    if (typeof expression !== 'function') return expression;
    return (args: Args, params: unknown) => (expression as Expression)(this.#inner(args), params);
  }

  #inner<A extends Args>(args: A): A {
    if (this.appearance.sole) return { ...args };
    return { ...args, context: args.context[this.name] ?? {}, event: this.#event(args.event) };
  }

  /**
   * `event` as the part sees it; of an event that is not its own it sees only that something has
   * happened.
   */
  #event(event: EventObject): AnyEventObject {
    const prefix = this.outer('');
    if (event.type.startsWith(prefix)) return { ...event, type: event.type.slice(prefix.length) };
    if (event.type === 'xstate.init') return { ...event, input: this.#own(event, 'input') };
    if (this.isAnswered(event)) return { ...event, value: this.#own(event, 'value') };
    return event.type.startsWith('xstate.') ? event : { type: 'xstate.elsewhere' };
  }

  /** This part's share of a field of `event`. */
  #own(event: EventObject, field: string): unknown {
    return Reflect.get(Object(Reflect.get(event, field)), this.name);
  }

  #collecting(args: Collecting, where: string): Args {
    const add = (action: unknown) => args.enqueue(this.action(action, where));
    const enqueue = Object.assign(add, {
      assign: (assignment: Parameters<typeof assign>[0]) => add(assign(assignment)),
      emit: (effect: Parameters<typeof emit>[0]) => add(emit(effect)),
      raise: (event: Message, options?: object) => add(raise(event, options)),
      cancel: (id: string) => add(cancel(id)),
    });
    return Object.assign(this.#inner(args), {
      enqueue,
      check: (guard: unknown) => args.check(this.guard(guard, where)),
    });
  }

  #effect(effect: unknown, { context }: Args): AnyEventObject {
    const emitted = effect as Effect<Message, Message>; // core refuses anything else
    const { sole, stamp } = this.appearance;
    switch (emitted.type) {
      case 'send':
        return {
          ...emitted,
          message: { ...this.#outerMessage(emitted.message), ...stamp?.(context) },
        };
      case 'notify':
        return { ...emitted, notification: this.#outerMessage(emitted.notification) };
      case 'choose':
        return sole
          ? emitted
          : { ...emitted, options: emitted.options.map((option) => ({ [this.name]: option })) };
      default:
        return emitted;
    }
  }

  #outerMessage = (message: Message): Message => ({ ...message, type: this.outer(message.type) });

  #stateValue(value: StateValue): StateValue {
    if (typeof value === 'string' && value.startsWith('#'))
      return this.target(this.machine.getStateNodeById(value).path);
    return { [this.name]: value };
  }
}

// XState's own shapes of the actions and guards that it makes.

type AnyAction = UnknownAction;
type AnyGuard = NonNullable<AnyTransitionDefinition['guard']>;

/** The argument of a machine's functions in XState; some of them get more. */
interface Args {
  readonly context: MachineContext;
  readonly event: EventObject;
}

type Predicate = GuardPredicate<MachineContext, EventObject, unknown, ParameterizedObject>;
type Expression = (args: Args, params: unknown) => unknown;

/** XState's form of a built-in action or guard: a function with fields. */
interface BuiltIn {
  readonly name: string;
  readonly type?: string;
  readonly assignment?: unknown;
  readonly event?: unknown;
  readonly collect?: Expression;
  readonly sendId?: unknown;
  readonly id?: unknown;
  readonly delay?: unknown;
  readonly check?: unknown;
  readonly guards?: readonly AnyGuard[];
  readonly stateValue?: StateValue;
}

// XState's own shape of the functions that it makes
const shapeOf = (made: object): BuiltIn => made as BuiltIn;

/**
 * What tells XState's combined guards. Their names do not: bundlers change the names of functions.
 */
const checks = {
  and: shapeOf(and([])).check,
  or: shapeOf(or([])).check,
  not: shapeOf(not('')).check,
};

const resultOf = (expression: unknown, args: Args, params: unknown): unknown =>
  typeof expression === 'function' ? (expression as Expression)(args, params) : expression;

/** The changes of an `assign`, which is given by a function, or field by field. */
function changesOf(assignment: unknown, args: Args, params: unknown): object {
  if (typeof assignment === 'function') return (assignment as Expression)(args, params) as object;
  return Object.fromEntries(
    Object.entries(assignment as object).map(([field, value]) => [
      field,
      resultOf(value, args, params),
    ]),
  );
}
