/** How far the id of each node gets in LeLann–Chang–Roberts (B3), where all nodes start. */
import { protocolOf } from '@conclave/algorithms';
import { oneShot, Simulation } from '@conclave/core/simulation';
import { ring } from '@conclave/core/topology';

const protocol = protocolOf('B3');

/** All orders of some items. */
export function* ordersOf(items) {
  if (items.length === 0) yield [];
  for (const [index, item] of items.entries())
    for (const rest of ordersOf(items.toSpliced(index, 1))) yield [item, ...rest];
}

/** By id: how many nodes its message `election` reaches on the ring of these ids. */
function pathsOn(ids) {
  const simulation = new Simulation({
    ...{ protocol, topology: ring(ids) },
    workload: oneShot({ type: 'elect' }),
  });
  const lengths = new Map(ids.map((id) => [id, 0]));
  simulation.messages$.subscribe(({ message: { type, id } }) => {
    if (type === 'election') lengths.set(id, lengths.get(id) + 1);
  });
  const { complete } = simulation.run();
  if (!complete) throw new Error(`${ids}: the election did not end.`);
  return lengths;
}

/** How many messages `election` a ring of these ids takes. */
export const messagesOn = (ids) => [...pathsOn(ids).values()].reduce((sum, one) => sum + one, 0);

/**
 * The lengths of the paths of all ids in all orders on rings of `n` nodes.
 *
 * @returns {{ orders: number, counts: readonly number[] }} `counts[k − 1]`: how many have length k
 */
export function extinctionPaths(n) {
  const counts = Array.from({ length: n }, () => 0);
  let orders = 0;
  for (const ids of ordersOf(ring(n).nodes)) {
    orders++;
    for (const length of pathsOn(ids).values()) counts[length - 1]++;
  }
  return { orders, counts };
}
