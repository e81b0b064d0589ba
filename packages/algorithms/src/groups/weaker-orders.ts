/**
 * Shortest runs in which a weaker order of multicasts breaks a stronger one: for the pages, and
 * their pictures.
 */
import { explore } from '@conclave/check';
import type { Property, Protocol } from '@conclave/core/protocol';
import { complete, type Topology } from '@conclave/core/topology';
import type { Trace } from '@conclave/core/trace';
import type { Pictures } from '../checks/checks.js';
import { causalMulticast } from './causal-multicast/protocol.js';
import { causalOrder, totalOrder } from './multicast.js';
import { totalMulticast } from './total-multicast/protocol.js';
import { machine, numberBy } from './total-multicast/total-multicast.js';

/** A protocol whose order is weaker than another one, and a system in which that shows. */
interface WeakerOrder {
  readonly title: string;
  readonly protocol: Protocol;
  readonly topology: Topology;
  /** The order that it breaks. */
  readonly order: Property;
  readonly budget: Parameters<typeof explore>[2];
}

const sequenced = totalMulticast({ sequencer: 'a' });

/** Total order by a sequencer that numbers requests as they come. */
export const numberedAsTheyCome: Protocol = {
  ...sequenced,
  roles: Object.fromEntries(
    Object.entries(sequenced.roles).map(([name, role]) => [
      name,
      {
        ...role,
        machine: machine.provide({
          actions: { number: numberBy(({ pending }) => pending[0]) },
          guards: {
            isRepeated: () => false,
            hasNextPending: ({ context }) => context.pending.length > 0,
          },
        }),
      },
    ]),
  ),
};

/** By the name of the generated part, and of the picture. */
export const weakerOrders: Readonly<Record<string, WeakerOrder>> = {
  'fifo-is-not-causal': {
    title: 'FIFO order breaks causal order',
    protocol: causalMulticast({ order: 'fifo' }),
    topology: complete(3),
    order: causalOrder,
    budget: { initiators: ['a', 'b'] },
  },
  'causal-is-not-total': {
    title: 'Causal order breaks total order',
    protocol: causalMulticast(),
    topology: complete(2),
    order: totalOrder,
    budget: {},
  },
  'total-is-not-causal': {
    title: 'Total order without FIFO order breaks causal order',
    protocol: numberedAsTheyCome,
    topology: complete(2),
    order: causalOrder,
    budget: { initiators: ['b'], commands: 2 },
  },
};

/** The shortest run that breaks the order; undefined if it holds in every interleaving. */
export function breakingRun({
  protocol,
  topology,
  order,
  budget = {},
}: Omit<WeakerOrder, 'title'>): Trace | undefined {
  const { complete: isComplete, properties } = explore(protocol, topology, {
    ...budget,
    properties: [order],
  });
  const { verdict, trace } = properties.find(({ name }) => name === order.name) ?? {};
  if (verdict === 'holds' && isComplete) return undefined;
  if (verdict !== 'violated' || !trace)
    throw new Error(`${protocol.name}: '${order.name}' is ${verdict}`);
  return trace;
}

/** The runs with these names, for a page. */
export const runsOf =
  (...names: readonly string[]) =>
  (): Pictures =>
    Object.fromEntries(
      names.flatMap((name) => {
        const weaker = weakerOrders[name];
        const trace = weaker && breakingRun(weaker);
        return trace ? [[name, { title: weaker.title, trace }]] : [];
      }),
    );
