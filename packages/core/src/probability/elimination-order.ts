import { componentsOf } from './components.js';
import { at } from './scope.js';

/** The terms of linear equations: the columns of row i are columns[first[i]] … columns[first[i + 1] − 1]. */
export interface Terms {
  readonly size: number;
  readonly first: Int32Array;
  readonly columns: Int32Array;
}

/** On each of the first levels, a component loses one state, and then more and more. */
const firstLevels = 3;
/** If components have so many states after so many levels, too many new terms would arise. */
const mostLeft = 2 ** 16;
const levelsForMost = 8;
/** A level takes at most one state in so many. */
const leastShare = 8;

/**
 * An order to eliminate the rows of a strongly connected component, such that few new terms
 * arise. The states that most others lead to come last: without them, it falls into smaller
 * components. Each of these comes after those that it leads to, and is put in order in the same
 * way. Undefined if there are too many terms in any order of this kind.
 */
export function eliminationOrder(
  terms: Terms,
  watch: { tick(weight?: number): void },
): Int32Array | undefined {
  const { size, first, columns } = terms;
  const identity = Int32Array.from({ length: size + 1 }, (_, place) => place);
  const graph = { states: size, firstChoice: identity, firstBranch: first, targets: columns };
  const degrees = new Int32Array(size);
  for (const column of columns) degrees[column] = at(degrees, column) + 1;
  const order = identity.slice(0, size);
  const isMember = new Uint8Array(size).fill(1);
  /** By row: its component on this level. */
  const segmentOf = new Int32Array(size);
  let segments: Segment[] = [{ begin: 0, end: size }];
  for (let level = 0; segments.length > 0; level++) {
    watch.tick(size);
    const next = segments.map(({ begin }) => begin);
    for (const segment of segments) cut(segment, level, order, degrees, isMember);
    const { members, first: firsts } = componentsOf(graph, watch, isMember);
    const found: Segment[] = [];
    for (let index = 0; index + 1 < firsts.length; index++) {
      const component = members.subarray(at(firsts, index), at(firsts, index + 1));
      const segment = at(segmentOf, at(component, 0));
      const begin = next[segment] as number; // by segment
      order.set(component, begin);
      next[segment] = begin + component.length;
      if (component.length > 1) found.push({ begin, end: begin + component.length });
      else isMember[at(component, 0)] = 0;
    }
    segments = found;
    const left = found.reduce((sum, { begin, end }) => sum + end - begin, 0);
    if (level === levelsForMost && left > mostLeft) return undefined;
    for (const [index, { begin, end }] of segments.entries())
      for (let place = begin; place < end; place++) segmentOf[at(order, place)] = index;
  }
  return order;
}

interface Segment {
  readonly begin: number;
  readonly end: number;
}

/** Puts the states that most others lead to at the end of a segment, and takes them out. */
function cut(
  { begin, end }: Segment,
  level: number,
  order: Int32Array,
  degrees: Int32Array,
  isMember: Uint8Array,
): void {
  const length = end - begin;
  const count = Math.min(Math.ceil(length / leastShare), 2 ** Math.max(0, level - firstLevels));
  const rows = order.subarray(begin, end);
  if (count === 1) {
    let most = 0;
    for (let place = 1; place < length; place++)
      if (at(degrees, at(rows, place)) > at(degrees, at(rows, most))) most = place;
    [rows[most], rows[length - 1]] = [at(rows, length - 1), at(rows, most)];
  } else {
    rows.sort((a, b) => at(degrees, a) - at(degrees, b) || a - b);
  }
  for (let place = length - count; place < length; place++) isMember[at(rows, place)] = 0;
}
