import { type Explored, longestPath } from './longest-path.js';

/** What an `overtaken` looks at: by world, for each node. */
export interface Overtaking {
  readonly most: number;
  readonly isWaiting: (vector: Int32Array, node: number) => boolean;
  readonly isInside: (vector: Int32Array, node: number) => boolean;
  readonly nodes: number;
}

/**
 * The edges of a shortest run on which some node enters more than `most` times while another one waits; undefined if there is none.
 * Only the number of entries since that other one began to wait counts.
 */
export function findOvertaking(
  { store, graph, width }: Explored,
  { most, isWaiting, isInside, nodes }: Overtaking,
): readonly number[] | undefined {
  const [waiting, entered] = [bitsOf(isWaiting), bitsOf(isInside)];
  let shortest: readonly number[] | undefined;
  for (let waiter = 0; waiter < nodes; waiter++)
    for (let other = 0; other < nodes; other++) {
      if (waiter === other) continue;
      const waitsAt = (world: number) => waiting[world * nodes + waiter] === 1;
      const enters = (source: number, edge: number) =>
        waitsAt(source) && entered[source * nodes + other] === 0 && entered[graph.target(edge) * nodes + other] === 1;
      const after = (sum: number, source: number, edge: number) =>
        waitsAt(source) && waitsAt(graph.target(edge)) ? sum + (enters(source, edge) ? 1 : 0) : 0;
      const found = longestPath(graph, store.bound, {
        first: 0,
        after,
        violates: (sum, source, edge) => enters(source, edge) && sum >= most,
      });
      if (found && found.length < (shortest?.length ?? Infinity)) shortest = found;
    }
  return shortest;

  /** By world and node. */
  function bitsOf(holds: Overtaking['isWaiting']): Uint8Array {
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
