import { Unprovable } from './unprovable.js';

/** Where the ranks of two orders go in one that has the numbers of both, from 0 on. */
export interface Merge {
  readonly one: readonly number[];
  readonly other: readonly number[];
  /** How many ranks it has. */
  readonly ranks: number;
}

/** No more than so many are tried at once. */
const most = 20_000;

/**
 * All orders that have the numbers of one with `one` ranks and of one with `other` ranks. Pairs that
 * are `same` are one number in both, all others may be equal or not.
 */
export function merges(
  one: number,
  other: number,
  same: readonly (readonly [number, number])[] = [],
): readonly Merge[] {
  const partner = new Map<number, number>();
  const ofOther = new Map<number, number>();
  for (const [a, b] of same) {
    if ((partner.get(a) ?? b) !== b || (ofOther.get(b) ?? a) !== a) return [];
    partner.set(a, b);
    ofOther.set(b, a);
  }
  const found: Merge[] = [];
  const visit = (left: readonly number[], right: readonly number[], ranks: number): void => {
    const [a, b] = [left.length, right.length];
    if (found.length > most) throw new Unprovable('its numbers can stand in too many orders');
    if (a === one && b === other) {
      found.push({ one: left, other: right, ranks });
      return;
    }
    const [withA, withB] = [partner.get(a), ofOther.get(b)];
    if (a < one && withA === undefined) visit([...left, ranks], right, ranks + 1);
    if (b < other && withB === undefined) visit(left, [...right, ranks], ranks + 1);
    const mayBeEqual = withA === undefined ? withB === undefined : withA === b;
    if (a < one && b < other && mayBeEqual) visit([...left, ranks], [...right, ranks], ranks + 1);
  };
  visit([], [], 0);
  return found;
}

/**
 * Whole numbers for `ranks` ranks: all that differ in how a number that is one larger than one of the
 * ranks in `grown` compares with the next rank. It is equal to it, or smaller.
 */
export function spacings(
  ranks: number,
  grown: ReadonlySet<number>,
): readonly (readonly number[])[] {
  let found: readonly (readonly number[])[] = [[]];
  for (let rank = 0; rank < ranks; rank++)
    found = found.flatMap((values) => {
      const last = values.at(-1);
      if (last === undefined) return [[0]];
      const gaps = grown.has(rank - 1) ? [1, 2] : [1];
      return gaps.map((gap) => [...values, last + gap]);
    });
  if (found.length > most) throw new Unprovable('its numbers can stand in too many orders');
  return found;
}
