import { badInput, ConclaveError } from '../../base/error.js';
import type { Json } from '../../protocol/node.js';
import {
  changesFrozen,
  copyOf,
  differenceOf,
  freeze,
  impure,
  placeOf,
} from '../../protocol/plain-data.js';
import { enterUserCode, leaveUserCode } from '../../protocol/purity.js';
import { Interner } from '../search/tables/interner.js';
import type { Compiled, Fault, Visit } from '../search/traversal/system.js';
import { canonical } from '../worlds/canonical.js';
import { type Orbit, Orbits } from './orbits.js';
import { excerpt, failed, plainState, requireSame } from './plain-refusals.js';

/** The functions of a plain system. */
interface PlainRules<S extends Json, A extends Json> {
  readonly actions: (state: S) => readonly A[];
  readonly next: (state: S, action: A) => S;
  /**
   * The fairness class of an action: while an action of a class stays possible, one of the class is
   * eventually taken. Undefined: the action may be delayed forever. Without `fair`, a run may stop
   * anywhere, and an `eventually` that is false at the start is violated by doing nothing.
   * `() => 'step'` says that some action is taken as long as one is possible.
   */
  readonly fair?: (action: A) => string | undefined;
  /**
   * Whether a run may end here; called for states without actions. Without `done` no state counts
   * as a deadlock.
   */
  readonly done?: (state: S) => boolean;
  /**
   * Renamings under which the system is the same; with `reduce: 'symmetry'` one state represents
   * all its images.
   */
  readonly symmetries?: readonly ((state: S) => S)[];
}

/**
 * A system of plain functions over plain data. It begins in `initial`, or in each of `initials`.
 */
export type PlainSystem<S extends Json, A extends Json> = PlainRules<S, A> &
  (
    | { readonly initial: S; readonly initials?: undefined }
    | { readonly initials: readonly S[]; readonly initial?: undefined }
  );

/** The outcome of one action in one state. */
interface Outcome<S> {
  readonly action: number;
  /** Undefined if `next` has thrown. */
  readonly state: S | undefined;
  readonly error?: ConclaveError;
}

/**
 * A plain system compiled: a state is one number. Each state's successors are computed once, when
 * it is expanded.
 */
export class CompiledPlain<S extends Json, A extends Json> implements Compiled {
  readonly width = 1;
  readonly initials: readonly S[];
  readonly states = new Interner<S>();
  readonly actions = new Interner<{ readonly action: A; readonly fair: number }>();
  /** Set with `symmetry`. */
  readonly orbits: Orbits<S> | undefined;
  readonly #classes = new Interner<string>();
  /** Actions by their JSON, which may depend on the order of keys: frozen, each order once. */
  readonly #taken = new Map<string, { readonly number: number; readonly action: A }>();
  readonly #errors: ConclaveError[] = [];
  /** By state, of those that are expanded twice: the first outcomes. */
  readonly #first = new Map<number, string>();
  /** Of those: equal states with another order of keys. */
  readonly #reordered: { readonly id: number; readonly state: S }[] = [];
  #bytes = 0;

  /**
   * @throws {ConclaveError} `bad-input` for initial states that are not plain data, or that a
   * symmetry leads out of.
   */
  constructor(
    private readonly system: PlainSystem<S, A>,
    symmetry = false,
    /** Called before each call of `next`, which may take any time. */
    private readonly stepping: () => void = () => {},
  ) {
    // A system has exactly one of the two: see requireSystem.
    const initials = system.initials ?? [system.initial];
    this.initials = initials.map((given, index) => {
      const state = plainState(given, system.initials ? `initials[${index}]` : 'initial');
      freeze(state);
      return state;
    });
    this.orbits = symmetry ? new Orbits(system.symmetries ?? [], this.initials) : undefined;
  }

  /** An estimate: a text and an object for each state, and their table entries. */
  get bytes(): number {
    return this.#bytes;
  }

  get starts(): number {
    return this.initials.length;
  }

  initial(into: Int32Array, start: number): void {
    into[0] = this.number(this.initials[start] as S); // `start` is below `starts`
  }

  expand(state: Int32Array, into: Int32Array, visit: Visit, fault: Fault): void {
    const id = state[0] as number;
    const from = this.states.item(id);
    const outcomes = this.outcomes(from);
    const numbers = this.#numbers(outcomes);
    if (isSampled(id)) this.#first.set(id, signature(outcomes, numbers));
    this.orbits?.requireAlike(from, (image) =>
      this.outcomes(image).map((outcome) => outcome.state),
    );
    for (const [index, { action, error }] of outcomes.entries()) {
      const next = numbers[index];
      if (next === undefined) {
        this.#errors.push(error as ConclaveError); // without a state there is an error
        fault(action, this.#errors.length - 1);
        continue;
      }
      into[0] = next;
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
      const again = this.#signature(this.outcomes(state, (data) => copyOf(data)));
      if (again === first) continue;
      throw new ConclaveError(
        'impure',
        `The system does not do the same each time in the state ${excerpt(state)}`,
        'Let actions and next depend only on their arguments, not on variables outside.',
      );
    }
    for (const { id, state } of this.#reordered) {
      // grows meanwhile
      const first = this.#first.get(id);
      if (
        first === undefined ||
        inAnyOrder(this.#signature(this.outcomes(state))) === inAnyOrder(first)
      )
        continue;
      throw new ConclaveError(
        'impure',
        `The system depends on the order of the keys of an object, in the state ${excerpt(state)}`,
        'Objects with the same fields are the same state: keep what has an order in a list.',
      );
    }
  }

  /**
   * The outcome of each action that is possible in `from`; `given` maps the arguments of the
   * functions, such as to copies.
   *
   * @throws {ConclaveError} `bad-input` for data that is not plain, or not a list; `impure` for
   * functions that change their input, read a clock or draw a random number.
   */
  outcomes(from: S, given = <T>(data: T): T => data): readonly Outcome<S>[] {
    const told = given(from);
    const possible = this.#possible(told, from);
    requireSame(() => 'actions', from, told);
    return possible.map((one) => {
      this.stepping();
      const { number, action } = this.#action(one, from);
      const [state, taken] = [given(from), given(action)];
      const who = () => `next, taking ${excerpt(action)} in ${excerpt(from)},`;
      const before = enterUserCode(who);
      let next: S;
      try {
        next = this.system.next(state, taken);
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
      requireSame(who, from, state);
      requireSame(who, action, taken);
      const reached = plainState(
        next,
        'state',
        () => `, after ${excerpt(action)} in ${excerpt(from)}`,
      );
      if (this.orbits) freeze(reached); // the symmetries get it
      return { action: number, state: reached };
    });
  }

  errorOf(step: number): ConclaveError {
    return this.#errors[step] as ConclaveError; // called for numbers passed to `fault` only
  }

  fairness(action: number): number {
    return this.actions.item(action).fair;
  }

  /** The number of a state, or of its representative. */
  number(state: S): number {
    const least = this.orbits?.of(state).least;
    if (least) return this.#keep(least.text, least.state);
    // JSON depends on the order of keys but is fast: most states are found again with the same
    // order.
    const text = JSON.stringify(state);
    const known = this.states.known(text);
    if (known !== undefined) return known;
    freeze(state); // known ones are thrown away
    const key = canonical(state);
    const before = this.states.items.length;
    const number = this.#keep(key, state);
    if (number < before && isSampled(number)) this.#reordered.push({ id: number, state });
    if (key !== text) {
      this.states.alias(text, number);
      this.#bytes += 100 + text.length;
    }
    return number;
  }

  /** All states that number `id` represents. */
  images(id: number): readonly S[] {
    const state = this.states.item(id);
    const orbit: Orbit<S> | undefined = this.orbits?.of(state);
    return orbit ? orbit.members.map((member) => member.state) : [state];
  }

  #keep(text: string, state: S): number {
    return this.states.id(text, () => {
      this.#bytes += 120 + 3 * text.length;
      return state;
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

  #signature(outcomes: readonly Outcome<S>[]): string {
    return signature(outcomes, this.#numbers(outcomes));
  }

  /** The number of each state that is reached; undefined where `next` has thrown. */
  #numbers(outcomes: readonly Outcome<S>[]): readonly (number | undefined)[] {
    return outcomes.map(({ state }) => (state === undefined ? undefined : this.number(state)));
  }

  #possible(told: S, from: S): readonly A[] {
    let actions: unknown;
    const before = enterUserCode('actions');
    try {
      actions = this.system.actions(told);
    } catch (error) {
      throw failed('actions', error, from);
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
  #action(given: A, from: S): { readonly number: number; readonly action: A } {
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
      throw failed('fair', error, action, 'for the action');
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

/** So many states are expanded twice, and one in sixteen of the others. */
const mostTwice = 10_000;
const isSampled = (id: number): boolean => id < mostTwice || id % 16 === 0;

/** What a state leads to, as a text. */
const signature = (
  outcomes: readonly Outcome<unknown>[],
  numbers: readonly (number | undefined)[],
): string =>
  outcomes
    .map(({ action, error }, index) => `${action} ${numbers[index] ?? error?.message}`)
    .join('\n');

/** A signature without the order in which actions were listed. */
const inAnyOrder = (signature: string): string => signature.split('\n').sort().join('\n');
