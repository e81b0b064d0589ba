import { type Explored, largestSum, longestPath } from './longest-path.js';

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
 * The edges of a shortest run on which some node enters more than `most` times while another one waits; undefined if there is none.
 * Only the number of entries since that other one began to wait counts.
 */
export function findOvertaking(explored: Explored, { most, nodes, ...of }: Overtaking): readonly number[] | undefined {
  const { store, graph } = explored;
  const entries = entriesIn(explored, { nodes, ...of });
  let shortest: readonly number[] | undefined;
  for (let waiter = 0; waiter < nodes; waiter++)
    for (let other = 0; other < nodes; other++) {
      if (waiter === other) continue;
      const { after, during } = entries.whileWaiting(waiter, [other]);
      const found = longestPath(graph, store.bound, {
        first: 0,
        after,
        violates: (sum, source, edge) => during(source, edge) > 0 && sum >= most,
      });
      if (found && found.length < (shortest?.length ?? Infinity)) shortest = found;
    }
  return shortest;
}

/** The largest number of entries of others while some node waits: of one other node, and of all others together. */
export function largestOvertaking(explored: Explored, of: Entering): { readonly ofOne: number; readonly ofAll: number } {
  const { store, graph } = explored;
  const entries = entriesIn(explored, of);
  const ids = Array.from({ length: of.nodes }, (_, node) => node);
  const most = (waiter: number, others: readonly number[]) =>
    largestSum(graph, store.bound, { first: 0, after: entries.whileWaiting(waiter, others).after }, others.length);
  return {
    ofOne: Math.max(0, ...ids.flatMap((waiter) => ids.flatMap((other) => (other === waiter ? [] : [most(waiter, [other])])))),
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

/** The entries of some nodes while another one waits, as sums of paths. */
function entriesIn({ store, graph, width }: Explored, { isWaiting, isInside, nodes }: Entering) {
  const [waiting, entered] = [bitsOf(isWaiting), bitsOf(isInside)];
  return {
    whileWaiting(waiter: number, others: readonly number[]) {
      const waitsAt = (world: number) => waiting[world * nodes + waiter] === 1;
      /** How many of the others enter on an edge while the waiter waits before it. */
      const during = (source: number, edge: number): number => {
        if (!waitsAt(source)) return 0;
        const target = graph.target(edge);
        let count = 0;
        for (const other of others) if (entered[source * nodes + other] === 0 && entered[target * nodes + other] === 1) count++;
        return count;
      };
      const after = (sum: number, source: number, edge: number) =>
        waitsAt(source) && waitsAt(graph.target(edge)) ? sum + during(source, edge) : 0;
      return { during, after };
    },
  };

  /** By world and node. */
  function bitsOf(holds: Entering['isWaiting']): Uint8Array {
    const vector = new Int32Array(width);
    const bits = new Uint8Array(store.bound * nodes);
    for (let world = 0; world < store.bound; world++) {
      if (!store.has(world)) continue;
      store.read(world, vector);
      for (let node = 0; node < nodes; node++) if (holds(vector, node)) bits[world * nodes + node] = 1;
    }
    return bits;
  }
}
