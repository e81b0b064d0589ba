import { badInput } from '../base/bad-input.js';
import {
  at,
  checkProcess,
  type DecisionProcess,
  type Question,
  type Value,
} from './decision-process.js';
import { reachProbability } from './reach-probability.js';

/** More states, each with what is left of the cost, are refused. */
const mostStates = 2 ** 23;

/**
 * The probability that the goal is reached at a cost of at most `most`: the least or the greatest
 * over all schedulers, which know what the run has cost. Each state is explored with what is left
 * of the cost.
 *
 * @throws {ConclaveError} if there are more than 2²³ of these
 */
export function probabilityWithin(
  process: DecisionProcess,
  question: Question & { readonly most: number },
): Value {
  checkProcess(process);
  const { most, extreme, watch } = question;
  if (!Number.isSafeInteger(most) || most < 0)
    throw badInput(`The cost ${most} is not a whole number from 0 on`);
  const product = new Product(process, question.goal);
  const initial = product.number(question.initial ?? 0, most);
  product.explore(watch);
  const [goal, unfolded] = [new Uint8Array(product.states), product.process()];
  goal[reached] = 1;
  return reachProbability(unfolded, { goal, extreme, initial, ...(watch ? { watch } : {}) });
}

/** The states of a product where the cost is spent, and where the goal is reached. */
const spent = 0;
const reached = 1;

class Product {
  /** By state of the product, from 2 on: the state of the process, and what is left. */
  readonly #originals: number[] = [-1, -1];
  readonly #left: number[] = [-1, -1];
  /** By what is left, and by state of the process: the number in the product. */
  readonly #numbers = new Map<number, Map<number, number>>();
  readonly #firstChoice: number[] = [0, 0, 0];
  readonly #firstBranch: number[] = [0];
  readonly #targets: number[] = [];
  readonly #weights: number[] = [];

  constructor(
    private readonly original: DecisionProcess,
    private readonly goal: Uint8Array,
  ) {}

  get states(): number {
    return this.#originals.length;
  }

  /** The state of the product for a state and what is left of the cost. */
  number(state: number, left: number): number {
    if (left < 0) return spent;
    if (this.goal[state] === 1) return reached;
    const numbers = this.#numbers.get(left) ?? new Map<number, number>();
    const known = numbers.get(state);
    if (known !== undefined) return known;
    const found = this.#originals.push(state) - 1;
    if (found >= mostStates)
      throw badInput(
        `There are more than ${mostStates} states with what is left of the cost`,
        'Try a smaller cost or a smaller system',
      );
    this.#left.push(left);
    this.#numbers.set(left, numbers.set(state, found));
    return found;
  }

  explore(watch: Question['watch']): void {
    const { firstChoice, firstBranch, targets, weights, costs } = this.original;
    for (let next = reached + 1; next < this.#originals.length; next++) {
      watch?.tick();
      const state = this.#originals[next] as number; // next < length
      const left = this.#left[next] as number; // as long
      for (let choice = at(firstChoice, state); choice < at(firstChoice, state + 1); choice++) {
        for (let branch = at(firstBranch, choice); branch < at(firstBranch, choice + 1); branch++) {
          this.#targets.push(this.number(at(targets, branch), left - at(costs, branch)));
          this.#weights.push(at(weights, branch));
        }
        this.#firstBranch.push(this.#targets.length);
      }
      this.#firstChoice.push(this.#firstBranch.length - 1);
    }
  }

  process(): DecisionProcess {
    return {
      states: this.states,
      firstChoice: Int32Array.from(this.#firstChoice),
      firstBranch: Int32Array.from(this.#firstBranch),
      targets: Int32Array.from(this.#targets),
      weights: Float64Array.from(this.#weights),
      costs: new Float64Array(this.#targets.length),
    };
  }
}
