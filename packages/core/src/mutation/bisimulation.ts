import type { Action } from '../exploration/worlds/world.js';
import type { Labels } from './labels.js';

/** A shortest run after which two systems differ. */
export interface Parting {
  /** The actions that both can take, as the first takes them. */
  readonly actions: readonly Action[];
  /**
   * The same as the second takes them: what a crash in the middle of a step loses may have other
   * positions among what the step sends.
   */
  readonly others: readonly Action[];
  /**
   * An action that only one of them can take then; undefined: their worlds look different, or their
   * notifications in the last action differ.
   */
  readonly only?: { readonly who: 'first' | 'second'; readonly action: Action };
  /** Their notifications in the last action differ. */
  readonly tells?: true;
}

/**
 * The first difference of two systems, breadth-first over pairs of worlds; undefined when they are
 * strongly bisimilar. Actions are deterministic, so it is enough to compare the pairs of worlds
 * that the same actions reach.
 */
export function firstParting(first: Labels, second: Labels): Parting | undefined {
  const one = first.explored.graph;
  const other = second.explored.graph;
  const bound = second.explored.search.store.size;
  /** By pair: both worlds, the pair it was reached from, the action of each. */
  const pairs: number[] = [0, 0, -1, -1, -1];
  const known = new Set<number>([0]);
  const seenFirst = new Int32Array(first.explored.compiled.width);
  const seenSecond = new Int32Array(second.explored.compiled.width);
  const taken = (
    pair: number,
    { explored: { compiled } }: Labels,
    place: 3 | 4,
  ): readonly Action[] => {
    const actions: Action[] = [];
    for (let at = pair; (pairs[at + 2] as number) >= 0; at = pairs[at + 2] as number)
      actions.push(compiled.actionOf(pairs[at + place] as number));
    return actions.reverse();
  };
  const parting = (pair: number, more: Pick<Parting, 'only' | 'tells'> = {}): Parting => ({
    actions: taken(pair, first, 3),
    others: taken(pair, second, 4),
    ...more,
  });
  for (let pair = 0; pair < pairs.length; pair += 5) {
    const left = pairs[pair] as number;
    const right = pairs[pair + 1] as number;
    first.read(left, seenFirst);
    second.read(right, seenSecond);
    if (seenFirst.some((seen, slot) => seen !== seenSecond[slot])) return parting(pair);
    const targets = new Map<number, number>();
    for (let edge = other.first(right); edge < other.end(right); edge++)
      targets.set(second.action(right, other.action(edge)), edge);
    for (let edge = one.first(left); edge < one.end(left); edge++) {
      const action = first.action(left, one.action(edge));
      const match = targets.get(action);
      if (match === undefined)
        return parting(pair, {
          only: { who: 'first', action: first.explored.compiled.actionOf(one.action(edge)) },
        });
      targets.delete(action);
      if (
        first.notifications(left, one.action(edge)) !==
        second.notifications(right, other.action(match))
      ) {
        pairs.push(
          one.target(edge),
          other.target(match),
          pair,
          one.action(edge),
          other.action(match),
        );
        return parting(pairs.length - 5, { tells: true });
      }
      const next = one.target(edge) * bound + other.target(match);
      if (known.has(next)) continue;
      known.add(next);
      pairs.push(
        one.target(edge),
        other.target(match),
        pair,
        one.action(edge),
        other.action(match),
      );
    }
    for (const edge of targets.values())
      return parting(pair, {
        only: { who: 'second', action: second.explored.compiled.actionOf(other.action(edge)) },
      });
  }
  return undefined;
}
