import { ConclaveError } from '../../protocol/error.js';
import type { Json } from '../../protocol/node.js';
import { canonical } from '../worlds/canonical.js';
import type { Fault, Visit } from './expander.js';
import { Interner } from './interner.js';

/**
 * A system as the search sees it: a state is a vector of `width` integers, equal exactly if the states are.
 * Whatever the integers stand for, the search never asks.
 */
export interface Compiled {
  readonly width: number;
  /** In how many states runs may begin; absent: in one. */
  readonly starts?: number;
  /** Writes a first state: that of number `start`, or the only one. */
  initial(into: Int32Array, start: number): void;
  /**
   * Calls `visit` for each state that follows `state`, with the number of the action that leads there; the successor stands in `into` for
   * the time of the call. An action that breaks the rules of the system is told to `fault` instead.
   */
  expand(state: Int32Array, into: Int32Array, visit: Visit, fault: Fault): void;
  /** Whether {@link expand} goes by what `visit` answers, which takes time. */
  readonly asks?: boolean;
  /** What is wrong with a step that was told to `fault`. */
  errorOf(step: number): ConclaveError;
  /** What the environment may not put off for ever (see liveness): the class of a fair action; −1 for an unfair one. */
  fairness(action: number): number;
}

/** A system of one's own: plain functions over plain data. */
export interface PlainSystem<S extends Json, A extends Json> {
  readonly initial: S;
  readonly actions: (state: S) => readonly A[];
  readonly next: (state: S, action: A) => S;
  /** Actions of one class are those that may not be put off for ever while one of them is possible; undefined: this one may. Default: all may. */
  readonly fair?: (action: A) => string | undefined;
}

/** A plain system compiled: a state is one number. Each state's successors are computed once, when it is expanded. */
export class CompiledPlain<S extends Json, A extends Json> implements Compiled {
  readonly width = 1;
  readonly states = new Interner<S>();
  readonly actions = new Interner<{ readonly action: A; readonly fair: number }>();
  readonly #classes = new Interner<string>();
  readonly #errors: ConclaveError[] = [];

  constructor(private readonly system: PlainSystem<S, A>) {}

  initial(into: Int32Array): void {
    into[0] = this.#state(this.system.initial);
  }

  expand(state: Int32Array, into: Int32Array, visit: Visit, fault: Fault): void {
    const from = this.states.item(state[0] as number);
    for (const action of this.system.actions(from)) {
      const id = this.#action(action);
      let next: S;
      try {
        next = this.system.next(from, action);
      } catch (error) {
        this.#errors.push(error instanceof ConclaveError ? error : new ConclaveError('bad-protocol', String(error), '', { cause: error }));
        fault(id, this.#errors.length - 1);
        continue;
      }
      into[0] = this.#state(next);
      visit(id);
    }
  }

  errorOf(step: number): ConclaveError {
    return this.#errors[step] as ConclaveError; // only numbers that were given out are asked for
  }

  fairness(action: number): number {
    return this.actions.item(action).fair;
  }

  #state(state: S): number {
    return this.states.id(canonical(state), () => state);
  }

  #action(action: A): number {
    return this.actions.id(canonical(action), () => {
      const name = this.system.fair?.(action);
      return { action, fair: name === undefined ? -1 : this.#classes.id(name, () => name) };
    });
  }
}
