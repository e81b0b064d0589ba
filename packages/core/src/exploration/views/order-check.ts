import { Random } from '../../base/random.js';
import type { Taken } from './local-event.js';
import type { Cause } from './numbers.js';
import type { OrderedNumbers } from './ordered-numbers.js';
import type { Detail } from './part.js';
import { NeedsRefinement, Unprovable } from './unprovable.js';

/** Orders of up to so many numbers are kinds of their own. */
const fewRanks = 3;
/** Each value below is one of a rank, in the first step of each kind. */
const turns = 530;
const gaps = [1, 1, 1, 2, 3, 7, 64, 1000, 2 ** 20];
const large = [2 ** 15, 2 ** 16, 2 ** 24, 2 ** 30, 2 ** 31, 2 ** 32, 2 ** 40].map(
  (value) => value - 2,
);

/** Whether only the order of numbers matters to a step. */
export class OrderCheck {
  readonly #random = new Random(1);
  #turn = 0;
  readonly #begun = new Set<string>();

  constructor(
    private readonly ordered: OrderedNumbers,
    private readonly detail: Detail,
  ) {}

  /**
   * @param kind of the step: the first one of its kind is tried with all values
   * @param cause with ranks that are doubled
   * @param outcome what the step makes of it
   * @param isFor whether it makes of another cause that outcome
   * @throws {Unprovable} unless each ordered number of the outcome is one of the cause, or one
   * larger, and the same one whatever numbers the cause has in this order.
   */
  require(
    role: string,
    kind: string,
    cause: Cause,
    outcome: object,
    isFor: (cause: Cause, expected: object) => boolean,
  ): void {
    const { values } = this.ordered.ranked(role, cause);
    const taken = 'state' in outcome ? (outcome as Taken) : undefined; // otherwise commands
    const made = taken ? this.ordered.valuesIn((see) => this.ordered.taken(role, taken, see)) : [];
    if (made.some((value) => !Number.isInteger(value) || !values.includes(value - (value & 1))))
      this.#refuse(role, cause);
    const pattern: number[] = [];
    this.ordered.cause(role, cause, (value) => pattern.push(value));
    const order = values.length > fewRanks ? values.length : pattern.join();
    for (const numbers of this.#numbers(`${kind} ${order}`, values.length)) {
      const other = this.ordered.cause(role, cause, (value) => numbers[value / 2] ?? 0);
      const expected = taken
        ? this.ordered.taken(role, taken, (value) => (numbers[value >> 1] ?? 0) + (value & 1))
        : outcome;
      if (!isFor(other, expected)) this.#refuse(role, cause);
    }
  }

  /** Numbers that views keep may be compared with ordered ones: then only their order may matter. */
  #refuse(role: string, [state, event]: Cause): never {
    const { kept } = this.detail;
    if (kept.size > 0) throw new NeedsRefinement({ ordered: [...kept] });
    const what = event === undefined ? 'a command' : `a step of '${role}'`;
    throw new Unprovable(
      `not only the order of numbers matters to ${what} in ${JSON.stringify(state.value)}`,
    );
  }

  #numbers(kind: string, ranks: number): readonly (readonly number[])[] {
    if (ranks === 0) return [];
    const from = (base: number, gap: () => number): readonly number[] => {
      const numbers = [base];
      while (numbers.length < ranks) numbers.push((numbers.at(-1) ?? 0) + gap());
      return numbers;
    };
    this.#turn = (this.#turn + 1) % turns;
    const base = this.#random.chance(0.1) ? this.#random.pick(large) : this.#turn;
    const isDense = this.#random.chance(0.5);
    const drawn = from(base, () => (isDense ? 1 : this.#random.pick(gaps)));
    if (this.#begun.has(kind)) return [drawn];
    this.#begun.add(kind);
    const all = Array.from({ length: Math.ceil(turns / ranks) }, (_, turn) => [
      from(turn * ranks, () => 1),
      from(turn * ranks, () => this.#random.pick(gaps)),
    ]).flat();
    const constants = [...large, ...this.detail.constants].map((base) => from(base, () => 1));
    return [drawn, ...all, ...constants];
  }
}
