import { Random } from '../../base/random.js';
import type { Json, Message } from '../../protocol/node.js';
import type { LocalState } from '../../protocol/step.js';
import { type Renaming, restricted } from './data.js';
import type { LocalEvent } from './local-event.js';
import type { Detail } from './part.js';
import { NeedsRefinement, Unprovable } from './unprovable.js';

/** What a step depends on; without event, what a node may be told. */
export type Cause = readonly [state: LocalState, event: LocalEvent | undefined];

type NumberAt = (path: string, value: number) => number;

/** Tried for numbers that views do not have. */
const usual = [
  ...Array.from({ length: 22 }, (_, index) => index - 1),
  0.5,
  31,
  64,
  100,
  1000,
  2 ** 31,
];
const draws = 4;
/** How far a step may move a number, and how far apart two are that are always compared. */
const near = [-2, -1, 0, 1, 2];
/** A number that views keep may have so many values, fewer where others are guessed. */
const mostValues = { usual: 40, guessed: 6 } as const;

/** The numbers in states and messages: which ones views have, and what the others may be. */
export class Numbers {
  /** The paths of the numbers that are not in a view. */
  readonly forgotten = new Set<string>();
  readonly #random = new Random(1);
  #turn = 0;
  #drawn: number[] = [];
  /** The kinds of steps that were taken with all values. */
  readonly #varied = new Set<string>();
  readonly #values = new Map<string, Set<number>>();

  constructor(
    private readonly detail: Detail,
    private readonly everybody: Renaming,
  ) {}

  /** Values to try, also near to those that a cause has. */
  #tried(role: string, cause: Cause): readonly number[] {
    const beside = this.#numbersIn(role, cause).flatMap((value) =>
      near.map((difference) => value + difference),
    );
    return [...new Set([...usual, ...this.detail.constants, ...beside])];
  }

  /**
   * Causes with other values of the numbers that are guessed: on `guesses`, a step has all its
   * outcomes; on `probes`, which are all pairs of values for the first step of its kind, and drawn
   * for the others, it must have no more.
   */
  guesses(
    role: string,
    kind: string,
    cause: Cause,
  ): { readonly guesses: readonly Cause[]; readonly probes: readonly Cause[] } {
    const count = this.#numbersIn(role, cause, this.detail.guessed).length;
    if (count === 0) return { guesses: [cause], probes: [] };
    if (count > 2) throw new Unprovable('a step depends on more than two numbers that grow');
    const tried = this.#tried(role, cause);
    const pairs = (others: (value: number) => readonly number[]): readonly Cause[] =>
      tried.flatMap((value) =>
        (count === 1 ? [value] : others(value)).map((other) =>
          this.#guess(role, cause, value, other),
        ),
      );
    const { constants } = this.detail;
    const guesses = pairs((value) => [
      ...near.map((difference) => value + difference),
      ...constants,
    ]);
    const isFirst = !this.#varied.has(`guessed ${kind}`);
    this.#varied.add(`guessed ${kind}`);
    const drawn = () => this.#guess(role, cause, this.#number(tried), this.#number(tried));
    return { guesses, probes: isFirst ? pairs(() => tried) : Array.from({ length: draws }, drawn) };
  }

  /** @throws {NeedsRefinement} so that all steps are taken with the numbers of `probe`. */
  learn(role: string, probe: Cause): never {
    throw new NeedsRefinement({ constants: this.#numbersIn(role, probe, this.detail.guessed) });
  }

  /** The cause with some other values of the numbers that views forget, and nobody guesses. */
  drawn(role: string, cause: Cause): Cause {
    const tried = this.#tried(role, cause);
    const { kept, guessed } = this.detail;
    return this.#replaced(role, cause, (path, value) =>
      kept.has(path) || guessed.has(path) ? value : this.#random.pick(tried),
    );
  }

  #guess(role: string, cause: Cause, ...values: readonly number[]): Cause {
    let next = 0;
    return this.#replaced(role, cause, (path, value) =>
      this.detail.guessed.has(path) ? (values[next++] ?? value) : value,
    );
  }

  /**
   * @param kind of the step: the first one of its kind is tried with all values
   * @throws {NeedsRefinement} unless `isSame` for other numbers, which views forget and nobody guesses.
   */
  vary(role: string, kind: string, cause: Cause, isSame: (cause: Cause) => boolean): void {
    const paths = new Set<string>();
    this.#replaced(role, cause, (path, value) => {
      if (this.detail.kept.has(path)) return value;
      this.forgotten.add(path);
      if (!this.detail.guessed.has(path) && !this.detail.ordered.has(path)) paths.add(path);
      return value;
    });
    if (paths.size === 0) return;
    const tried = this.#tried(role, cause);
    const isSameFor = (among: ReadonlySet<string>, given?: number): boolean => {
      this.#drawn = [];
      return isSame(
        this.#replaced(role, cause, (path, value) =>
          among.has(path) ? (given ?? this.#number(tried)) : value,
        ),
      );
    };
    if (!this.#varied.has(kind)) {
      this.#varied.add(kind);
      const sets = [...[...paths].map((path) => new Set([path])), paths];
      const matters = sets.find((among) => tried.some((value) => !isSameFor(among, value)));
      if (matters) throw new NeedsRefinement({ kept: [...matters] });
    }
    for (let draw = 0; draw < draws; draw++) {
      if (isSameFor(paths)) continue;
      const constants = this.#drawn;
      throw new NeedsRefinement({ kept: responsible(paths, tried, isSameFor), constants });
    }
  }

  /** One of those that are tried, or of the numbers up to 529, which take turns. */
  #number(tried: readonly number[]): number {
    if (this.#random.chance(0.5)) return this.#random.pick(tried);
    const value = 21 + (this.#turn++ % 509);
    this.#drawn.push(value);
    return value;
  }

  /** The numbers of a cause, at these paths or at all. */
  #numbersIn(role: string, cause: Cause, paths?: ReadonlySet<string>): readonly number[] {
    const found: number[] = [];
    this.#replaced(role, cause, (path, value) => {
      if (paths?.has(path) !== false) found.push(value);
      return value;
    });
    return found;
  }

  #replaced(role: string, [state, event]: Cause, numberAt: NumberAt): Cause {
    const data = (value: Json, path: string) => restricted(value, this.everybody, numberAt, path);
    const context = data(state.context, role) as LocalState['context']; // a record stays one
    if (event?.kind !== 'message') return [{ ...state, context }, event];
    const { message } = event;
    const fields = data(message as unknown as Json, message.type) as unknown as Message; // so here
    return [
      { ...state, context },
      { ...event, message: { ...fields, type: message.type } },
    ];
  }

  /**
   * Looks at the numbers that a step of `cause`, or the start, has led to.
   * @throws {NeedsRefinement} where one is of a value that no step was tried with, and not near to one
   * that the step began with; or where one that views have has too many values.
   */
  note(made: readonly (readonly [data: Json, path: string])[], role: string, cause?: Cause): void {
    const own = cause ? this.#numbersIn(role, cause) : [];
    for (const [data, at] of made)
      restricted(data, this.everybody, (path, value) => this.#noted(path, value, own), at);
  }

  #noted(path: string, value: number, own: readonly number[]): number {
    if (this.detail.ordered.has(path)) return value;
    if (!this.detail.kept.has(path)) {
      const isNear = own.some((other) => near.includes(value - other));
      if (!(isNear || usual.includes(value) || this.detail.constants.has(value)))
        throw new NeedsRefinement({ constants: [value] });
      return value;
    }
    const seen = this.#values.get(path) ?? new Set();
    this.#values.set(path, seen.add(value));
    const most = this.detail.guessed.size > 0 ? mostValues.guessed : mostValues.usual;
    if (seen.size > most) throw new NeedsRefinement({ guessed: [path] });
    return value;
  }
}

/** The numbers that matter each by itself; all of them where none does. */
function responsible(
  paths: ReadonlySet<string>,
  tried: readonly number[],
  isSameFor: (among: ReadonlySet<string>, given?: number) => boolean,
): readonly string[] {
  const drawn = Array.from({ length: 3 * draws }, () => undefined);
  const alone = [...paths].filter((path) =>
    [...tried, ...drawn].some((value) => !isSameFor(new Set([path]), value)),
  );
  return alone.length > 0 ? alone : [...paths];
}
