import { kindsOf } from '../graphs/kinds.js';
import { type Explored, largestSum, longestPath, type PathSum } from '../graphs/longest-path.js';

/** Who waits and who is inside: by world, for each node. */
interface Entering {
  readonly isWaiting: (vector: Int32Array, node: number) => boolean;
  readonly isInside: (vector: Int32Array, node: number) => boolean;
  readonly nodes: number;
}

/** What an `overtaken` looks at. */
export interface Overtaking extends Entering {
  readonly most: number;
}

/**
 * The edges of a shortest run on which some node enters more than `most` times while another one
 * waits; undefined if there is none. Only the number of entries since that other one began to wait
 * counts.
 */
export function findOvertaking(
  explored: Explored,
  { most, nodes, ...of }: Overtaking,
): readonly number[] | undefined {
  const { store, graph } = explored;
  const entries = entriesIn(explored, { nodes, ...of });
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
  of: Entering,
): { readonly ofOne: number; readonly ofAll: number } {
  const { store, graph } = explored;
  const entries = entriesIn(explored, of);
  const ids = Array.from({ length: of.nodes }, (_, node) => node);
  const most = (waiter: number, others: readonly number[]) =>
    largestSum(graph, store.size, entries(waiter, others, Infinity), others.length);
  return {
    ofOne: Math.max(
      0,
      ...ids.flatMap((waiter) =>
        ids.flatMap((other) => (other === waiter ? [] : [most(waiter, [other])])),
      ),
    ),
    ofAll: Math.max(
      0,
      ...ids.map((waiter) =>
        most(
          waiter,
          ids.filter((other) => other !== waiter),
        ),
      ),
    ),
  };
}

/** Bits of the code of a node. */
const [waits, inside] = [1, 2];

/**
 * The entries of some nodes while another one waits, as sums of paths; more than `most` are a
 * violation.
 */
function entriesIn(explored: Explored, { isWaiting, isInside, nodes }: Entering) {
  const { targets } = explored.graph;
  const { of, codes } = kindsOf(
    explored,
    nodes,
    (vector, node) => (isWaiting(vector, node) ? waits : 0) | (isInside(vector, node) ? inside : 0),
  );
  const byKind = Uint8Array.from(codes);
  return (waiter: number, others: readonly number[], most: number): PathSum => ({
    first: 0,
    kinds: of,
    after: (sum, source, edge) => {
      const before = (of[source] as number) * nodes;
      const after = (of[targets[edge] as number] as number) * nodes;
      if (((byKind[before + waiter] as number) & waits) === 0) return 0;
      let count = 0;
      for (let index = 0; index < others.length; index++) {
        const other = others[index] as number;
        if (
          ((byKind[before + other] as number) & inside) === 0 &&
          ((byKind[after + other] as number) & inside) !== 0
        )
          count++;
      }
      if (count > 0 && sum >= most) return Number.NaN;
      return ((byKind[after + waiter] as number) & waits) === 0 ? 0 : sum + count;
    },
  });
}
