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
import { canonical } from '../worlds/canonical.js';
import { excerpt, failureOf, plainState, requireSame } from './plain-refusals.js';
import type { PlainSystem } from './plain-system.js';

/** The outcome of one action in one state. */
export interface PlainOutcome<S> {
  readonly action: number;
  /** Undefined if `next` has thrown. */
  readonly state: S | undefined;
  readonly error?: ConclaveError;
}

/** The steps of a plain system: its functions are called, and what they give is checked. */
export class PlainSteps<S extends Json, A extends Json> {
  readonly actions = new Interner<{ readonly action: A; readonly fair: number }>();
  readonly #classes = new Interner<string>();
  /** Actions by their JSON, which may depend on the order of keys: frozen, each order once. */
  readonly #taken = new Map<string, { readonly number: number; readonly action: A }>();

  constructor(
    private readonly system: PlainSystem<S, A>,
    /** Called before each call of `next`, which may take any time. */
    private readonly stepping: () => void,
  ) {}

  /**
   * The outcome of each action that is possible in `from`; `given` maps the arguments of the
   * functions, such as to copies.
   *
   * @throws {ConclaveError} `bad-input` for data that is not plain, or not a list; `impure` for
   * functions that change their input, read a clock or draw a random number.
   */
  outcomes(from: S, given = <T>(data: T): T => data): readonly PlainOutcome<S>[] {
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
      return { action: number, state: reached };
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
