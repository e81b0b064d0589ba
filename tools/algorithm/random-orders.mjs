/**
 * What an election costs on average over the orders of the ids: where they rise along the network,
 * as in examples, many elections are at their best.
 */
import { oneShot, Random, simulate, totalMessages } from '@conclave/core/simulation';
import { Topology } from '@conclave/core/topology';

/** How many orders of the ids are drawn, where nothing else is said. */
const orders = 200;

/** Of a normal distribution: 95 % are within so many standard deviations. */
const deviations = 1.96;

/** The same network, whose nodes have the same ids in another order. */
export function inOrder({ spec, nodes, links }, ids) {
  const idOf = new Map(nodes.map((id, index) => [id, ids[index]]));
  return new Topology(
    spec, // the shape; an order of ids has no spec in general
    ids,
    links.map((link) => ({ ...link, from: idOf.get(link.from), to: idOf.get(link.to) })),
  );
}

/**
 * Elections on `network` where a message takes 1 ms, one for each order of ids that is drawn, and
 * that `starters` random nodes start: the mean of their messages, and of the message delays until
 * nothing is left to do.
 */
export function electedInRandomOrders(protocol, network, starters, count = orders) {
  const runs = Array.from({ length: count }, (_, index) => {
    const seed = index + 1;
    const random = new Random(seed).fork('order of ids');
    const topology = inOrder(network, random.shuffled(network.nodes));
    return simulate({
      ...{ protocol, topology, seed, properties: [] },
      workload: oneShot(
        { type: 'elect' },
        { nodes: random.shuffled(topology.nodes).slice(0, starters) },
      ),
      conditions: { order: protocol.channels.order, delay: { kind: 'fixed', ms: 1 } },
    });
  });
  return {
    messages: meanText(runs.map(totalMessages)),
    delays: meanText(runs.map(({ virtualMs }) => Math.round(virtualMs))),
  };
}

/** The mean with its 95 % confidence interval; one number where all values are the same. */
export function meanText(values) {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  if (squares === 0) return String(mean);
  const error = Math.sqrt(squares / (values.length - 1) / values.length);
  return `${mean.toFixed(1)} ± ${(deviations * error).toFixed(1)}`;
}
