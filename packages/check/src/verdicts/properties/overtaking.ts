/**
 * The bound on entries of a node while another one waits, `overtaken`: a longest path in the graph,
 * so no world needs a counter. An incomplete search decides violations.
 */
import { type Explored, kindsOf, largestSum, longestPath, type PathSum } from '../graphs/paths.js';

/** Who waits for an entry and who is inside. */
interface Contention {
  readonly isWaiting: (vector: Int32Array, node: number) => boolean;
  readonly isInside: (vector: Int32Array, node: number) => boolean;
  readonly nodes: number;
}

/** What an `overtaken` looks at. */
export interface Overtaking extends Contention {
  readonly most: number;
}

/**
 * The edges of a shortest run on which some node enters more than `most` times while another one
 * waits; undefined if there is none.
 */
export function findOvertaking(
  explored: Explored,
  { most, ...contention }: Overtaking,
): readonly number[] | undefined {
  const { store, graph } = explored;
  const { nodes } = contention;
  const entries = entriesIn(explored, contention);
  let shortest: readonly number[] | undefined;
  for (let waiter = 0; waiter < nodes; waiter++)
    for (let other = 0; other < nodes; other++) {
      if (waiter === other) continue;
      const found = longestPath(graph, store.size, entries(waiter, [other], most));
      if (found && found.length < (shortest?.length ?? Infinity)) shortest = found;
    }
  return shortest;
}

/**
 * The largest number of entries of others while some node waits: of one other node, and of all
 * others together.
 */
export function largestOvertaking(
  explored: Explored,
  contention: Contention,
): { readonly ofOne: number; readonly ofAll: number } {
  const { store, graph } = explored;
  const entries = entriesIn(explored, contention);
  const ids = Array.from({ length: contention.nodes }, (_, node) => node);
  const most = (waiter: number, others: readonly number[]) =>
    largestSum(graph, store.size, entries(waiter, others, Infinity), others.length);
  const others = (waiter: number) => ids.filter((id) => id !== waiter);
  const ofOne = ids.flatMap((waiter) => others(waiter).map((other) => most(waiter, [other])));
  const ofAll = ids.map((waiter) => most(waiter, others(waiter)));
  return { ofOne: Math.max(0, ...ofOne), ofAll: Math.max(0, ...ofAll) };
}

/** Bits of the code of a node. */
const [waits, inside] = [1, 2];

/**
 * The entries of `others` while `waiter` waits, as a sum along paths that begins anew when it
 * begins to wait; more than `most` are a violation.
 */
function entriesIn(explored: Explored, { isWaiting, isInside, nodes }: Contention) {
  const { targets } = explored.graph;
  const { of: kindOf, codes } = kindsOf(
    explored,
    nodes,
    (vector, node) => (isWaiting(vector, node) ? waits : 0) | (isInside(vector, node) ? inside : 0),
  );
  const byKind = Uint8Array.from(codes);
  /** Whether a node has this bit; the codes of its world begin at `first`. */
  const has = (first: number, node: number, bit: number) =>
    ((byKind[first + node] as number) & bit) !== 0;
  return (waiter: number, others: readonly number[], most: number): PathSum => ({
    first: 0,
    kinds: kindOf,
    after: (sum, source, edge) => {
      const before = (kindOf[source] as number) * nodes;
      const after = (kindOf[targets[edge] as number] as number) * nodes;
      if (!has(before, waiter, waits)) return 0;
      let entries = 0;
      for (let index = 0; index < others.length; index++) {
        const other = others[index] as number;
        if (!has(before, other, inside) && has(after, other, inside)) entries++;
      }
      if (entries > 0 && sum >= most) return Number.NaN;
      return has(after, waiter, waits) ? sum + entries : 0;
    },
  });
}
