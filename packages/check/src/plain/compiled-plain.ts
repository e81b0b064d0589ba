/**
 * A system of plain functions as a search sees it, and its steps. The functions are the user's:
 * their results are checked to be plain data, and asked for twice where that is affordable.
 */

import {
  changesFrozen,
  copyOf,
  differenceOf,
  enterUserCode,
  freeze,
  impure,
  leaveUserCode,
  placeOf,
} from '@conclave/core/internal';
import type { Json } from '@conclave/core/protocol';
import { ConclaveError } from '@conclave/core/protocol';
import { badInput } from '../base/bad-input.js';
import type { Fault, Visit } from '../search/kernel/kernel.js';
import { Interner } from '../search/tables/interner.js';
import type { System } from '../search/traversal/search.js';
import { canonical } from '../worlds/canonical.js';
import { DataNumbers, PlainStates } from './data-numbers.js';
import { excerpt, failureOf, type PlainSystem, plainState, requireSame } from './plain-system.js';

/**
 * A plain system compiled: a state is one number. Each state's successors are computed once, when
 * it is expanded.
 */
export class CompiledPlain<S extends Json, A extends Json> implements System {
  readonly width = 1;
  readonly initials: readonly S[];
  readonly states = new PlainStates<S>();
  readonly steps: PlainSteps<S, A>;
  readonly #errors: ConclaveError[] = [];
  /** By state, of those that are expanded twice: the first outcomes. */
  readonly #first = new Map<number, string>();

  /** @throws {ConclaveError} `bad-input` for initial states that are not plain data. */
  constructor(
    private readonly system: PlainSystem<S, A>,
    stepping: () => void = () => {},
  ) {
    // A system has exactly one of the two: see requireSystem.
    const initials = system.initials ?? [system.initial];
    this.initials = initials.map((given, index) => {
      const state = plainState(given, system.initials ? `initials[${index}]` : 'initial');
      freeze(state);
      return state;
    });
    this.steps = new PlainSteps(system, stepping);
  }

  get bytes(): number {
    return this.states.bytes;
  }

  get starts(): number {
    return this.initials.length;
  }

  initial(into: Int32Array, start: number): void {
    into[0] = this.states.id(this.initials[start] as S, (state) => state); // `start` is below `starts`
  }

  expand(state: Int32Array, into: Int32Array, visit: Visit, fault: Fault): void {
    const id = state[0] as number;
    const outcomes = this.#outcomes(this.states.item(id), isSampled(id));
    if (isSampled(id)) this.#first.set(id, signature(outcomes));
    for (const { action, state, error } of outcomes) {
      if (state === undefined) {
        this.#errors.push(error as ConclaveError); // without a state there is an error
        fault(action, this.#errors.length - 1);
        continue;
      }
      into[0] = state;
      visit(action);
    }
  }

  /** Whether some states were expanded once only. */
  get isSampled(): boolean {
    return this.states.items.length > mostTwice;
  }

  /**
   * Expands states a second time, from mutable copies: the first 10,000, and one in 16 of the
   * others.
   *
   * @throws {ConclaveError} `impure` for a system that is not deterministic, or changes its input.
   */
  confirm(): void {
    for (const [id, first] of this.#first) {
      const state = this.states.item(id);
      if (signature(this.#outcomes(copyOf(state), false, state)) === first) continue;
      throw new ConclaveError(
        'impure',
        `The system does not do the same each time in the state ${excerpt(state)}`,
        'Let actions and next depend only on their arguments, not on variables outside.',
      );
    }
    for (const { id, state } of this.states.reordered) {
      // grows meanwhile
      const first = this.#first.get(id);
      if (
        first === undefined ||
        inAnyOrder(signature(this.#outcomes(state, false))) === inAnyOrder(first)
      )
        continue;
      throw new ConclaveError(
        'impure',
        `The system depends on the order of the keys of an object, in the state ${excerpt(state)}`,
        'Objects with the same fields are the same state: keep what has an order in a list.',
      );
    }
  }

  errorOf(step: number): ConclaveError {
    return this.#errors[step] as ConclaveError; // called for numbers passed to `fault` only
  }

  fairness(action: number): number {
    return this.steps.actions.item(action).fair;
  }

  draws(state: Int32Array): boolean {
    return this.#weightsOf(this.states.item(state[0] as number)) !== undefined;
  }

  /**
   * The weights of the actions of a state, of which there are so many; undefined where a scheduler
   * chooses.
   *
   * @throws {ConclaveError} `bad-input` for weights that are not one positive whole number each.
   */
  weights(vector: Int32Array, actions: number): readonly number[] | undefined {
    const state = this.states.item(vector[0] as number);
    const given = actions === 0 ? undefined : this.#weightsOf(state);
    if (given === undefined) return undefined;
    const isFine =
      Array.isArray(given) &&
      given.length === actions &&
      given.every((weight) => Number.isSafeInteger(weight) && weight > 0) &&
      Number.isSafeInteger(given.reduce((sum, weight) => sum + weight, 0));
    if (isFine) return given;
    throw badInput(
      `weights gives ${excerpt(given)} for the ${actions} actions of the state ${excerpt(state)}`,
      'Give a positive whole number for each action, or undefined where nothing is drawn.',
    );
  }

  #weightsOf(state: S): readonly number[] | undefined {
    const before = enterUserCode('weights');
    try {
      return this.system.weights?.(state);
    } catch (error) {
      throw failureOf('weights', error, state);
    } finally {
      leaveUserCode(before);
    }
  }

  /** What `given` leads to: a state, or a copy of the state `from`. */
  #outcomes(given: S, isStrict: boolean, from = given): readonly PlainOutcome[] {
    this.states.begin(given, isStrict);
    return this.steps.outcomes({ from, given, isStrict }, (next, where) =>
      this.states.id(next as S, (state) => {
        const data = plainState(state, 'state', where);
        freeze(data);
        return data;
      }),
    );
  }
}

/** So many states are expanded twice, and one in sixteen of the others. */
const mostTwice = 10_000;
const isSampled = (id: number): boolean => id < mostTwice || id % 16 === 0;

/** What a state leads to, as a text. */
const signature = (outcomes: readonly PlainOutcome[]): string =>
  outcomes.map(({ action, state, error }) => `${action} ${state ?? error?.message}`).join('\n');

/** A signature without the order in which actions were listed. */
const inAnyOrder = (signature: string): string => signature.split('\n').sort().join('\n');

/** The outcome of one action in one state. */
interface PlainOutcome {
  readonly action: number;
  /** Its number; undefined if `next` has thrown. */
  readonly state: number | undefined;
  readonly error?: ConclaveError;
}

/** An action as `next` gets it. */
interface Taken<A> {
  readonly number: number;
  readonly action: A;
}

/** The steps of a plain system: its functions are called, and what they give is checked. */
class PlainSteps<S extends Json, A extends Json> {
  readonly actions = new Interner<{ readonly action: A; readonly fair: number }>();
  readonly #classes = new Interner<string>();
  /** Actions by their JSON, which may depend on the order of keys: frozen, each order once. */
  readonly #taken = new Map<string, Taken<A>>();
  /** Those with keys in the usual order by the numbers of their data. */
  readonly #usual = new Map<number, Taken<A>>();
  readonly #data = new DataNumbers();

  constructor(
    private readonly system: PlainSystem<S, A>,
    /** Called before each call of `next`, which may take any time. */
    private readonly stepping: () => void,
  ) {}

  /**
   * The outcome of each action that is possible in the state `from`.
   *
   * @param asked `given`: that state or a copy, which the functions get, and which is looked at
   * after each call; `isStrict`: as in `DataNumbers`, for the actions
   * @param numberOf the number of a state, of which an error says where it was reached
   * @throws {ConclaveError} `bad-input` for data that is not plain, or not a list; `impure` for
   * functions that change their input, read a clock or draw a random number.
   */
  outcomes(
    { from, given, isStrict }: { readonly from: S; readonly given: S; readonly isStrict: boolean },
    numberOf: (state: unknown, where: () => string) => number,
  ): readonly PlainOutcome[] {
    this.#data.isStrict = isStrict;
    const possible = this.#possible(given, from);
    requireSame(() => 'actions', from, given);
    let taking: A | undefined; // one closure for all actions: an error is thrown at once
    const who = () => `next, taking ${excerpt(taking)} in ${excerpt(from)},`;
    const where = () => `, after ${excerpt(taking)} in ${excerpt(from)}`;
    return possible.map((one) => {
      this.stepping();
      const { number, action } = this.#action(one, from);
      taking = action;
      const taken = given === from ? action : copyOf(action);
      const before = enterUserCode(who);
      let next: S;
      try {
        next = this.system.next(given, taken);
      } catch (error) {
        if (changesFrozen(error)) throw this.#changing(who(), error, from, action);
        const failure =
          error instanceof ConclaveError
            ? error
            : new ConclaveError('bad-protocol', String(error), '', { cause: error });
        return { action: number, state: undefined, error: failure };
      } finally {
        leaveUserCode(before);
      }
      requireSame(who, from, given);
      requireSame(who, action, taken);
      return { action: number, state: numberOf(next, where) };
    });
  }

  /**
   * The error for a `next` that has changed its frozen input; a mutable copy shows what it changes.
   */
  #changing(who: string, error: Error, from: S, action: A): ConclaveError {
    const copy = { state: copyOf(from), action: copyOf(action) };
    try {
      this.system.next(copy.state, copy.action);
    } catch {
      // What it changed before it threw counts.
    }
    const changed = differenceOf({ state: from, action }, copy) ?? error.message;
    return impure(who, `${changed}${placeOf(error)}`, error);
  }

  #possible(told: S, from: S): readonly A[] {
    let actions: unknown;
    const before = enterUserCode('actions');
    try {
      actions = this.system.actions(told);
    } catch (error) {
      throw failureOf('actions', error, from);
    } finally {
      leaveUserCode(before);
    }
    if (!Array.isArray(actions))
      throw badInput(
        `actions gives ${excerpt(actions)} in the state ${excerpt(from)}`,
        'Return a list; empty where nothing is possible.',
      );
    return actions;
  }

  /** The number of an action that is possible in `from`, and its frozen data. */
  #action(given: A, from: S): Taken<A> {
    this.#data.isReordered = false;
    const data = this.#data.of(given);
    const known = this.#data.isReordered ? undefined : this.#usual.get(data);
    if (known) return known;
    const { isReordered } = this.#data;
    const taken = this.#checked(given, from);
    if (!isReordered) this.#usual.set(data, taken);
    return taken;
  }

  /** The same; all of it is checked. */
  #checked(given: A, from: S): Taken<A> {
    const action = plainState(given, 'action', () => `, in ${excerpt(from)}`);
    const text = JSON.stringify(action);
    const known = this.#taken.get(text);
    if (known) return known;
    freeze(action);
    const number = this.actions.id(canonical(action), () => ({
      action,
      fair: this.#fairClass(action),
    }));
    const taken = { number, action };
    this.#taken.set(text, taken);
    return taken;
  }

  #fairName(action: A): unknown {
    const before = enterUserCode('fair');
    try {
      return this.system.fair?.(action);
    } catch (error) {
      throw failureOf('fair', error, action, 'for the action');
    } finally {
      leaveUserCode(before);
    }
  }

  #fairClass(action: A): number {
    const name = this.#fairName(action);
    if (name === undefined) return -1;
    if (typeof name !== 'string' || name === '')
      throw badInput(
        `fair gives ${excerpt(name)} for the action ${excerpt(action)}`,
        'Name a class of actions by a text that is not empty, or return undefined: then it may be delayed forever.',
      );
    return this.#classes.id(name, () => name);
  }
}
