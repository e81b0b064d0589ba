import type { NodeId } from '../../protocol/node.js';
import { canonical } from '../worlds/canonical.js';
import type { Family } from './family.js';
import { type Detail, joinedParts, type Part, partIn } from './part.js';
import { textOf } from './text.js';

/** The parts of views as small numbers, and what is done with them, each time once. */
export class Parts {
  readonly #all: Part[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #seen = new Map<string, number>();
  readonly #wide = new Map<string, number>();
  readonly #joined = new Map<string, readonly number[]>();

  constructor(
    private readonly family: Family,
    private readonly detail: Detail,
  ) {}

  at(number: number): Part {
    return this.#all[number] as Part; // numbers are given out here only
  }

  numberOf(part: Part): number {
    const key = `${part.role} ${textOf(part.state)} ${Object.keys(part.out).length === 0 ? '' : canonical(part.out)}`;
    let number = this.#numbers.get(key);
    if (number === undefined) {
      number = this.#all.push(part) - 1;
      this.#numbers.set(key, number);
    }
    return number;
  }

  /** The part of a world of `free` free nodes in the view of those in `mask`. */
  seen(part: number, free: number, mask: number): number {
    return memoized(this.#seen, `${part} ${free} ${mask}`, () =>
      this.numberOf(partIn(this.at(part), this.family.renaming(free, mask), this.detail)),
    );
  }

  /** The part of a world of `free` free nodes, with the names for one more, the `skipped`-th. */
  widened(part: number, free: number, skipped: number): number {
    return memoized(this.#wide, `${part} ${free} ${skipped}`, () =>
      this.numberOf(partIn(this.at(part), this.family.widening(free, skipped), this.detail)),
    );
  }

  /**
   * The parts of a world of `free` free nodes whose view without the `first` one is `one`, and
   * without the `second` one `other`; both have the names of that world.
   */
  joined(
    [one, first]: readonly [number, number],
    [other, second]: readonly [number, number],
    free: number,
  ): readonly number[] {
    return memoized(this.#joined, `${one} ${first} ${other} ${second} ${free}`, () => {
      const nameOf = (index: number): NodeId => this.family.free[index] ?? '';
      const missing = { first: nameOf(first), second: nameOf(second) };
      const names = this.family.names(free);
      return joinedParts(this.at(one), this.at(other), missing, names, this.detail).map((part) =>
        this.numberOf(part),
      );
    });
  }
}

export function memoized<T>(known: Map<string, T>, key: string, compute: () => T): T {
  const value = known.get(key);
  if (value !== undefined) return value;
  const fresh = compute();
  known.set(key, fresh);
  return fresh;
}
