import type { NodeId } from '../protocol/node.js';
import type { Topology } from '../topology/topology.js';
import { HandStepped, idsOf } from './hand-stepped.js';
import type { Transport } from './transport.js';

/**
 * A network within one process: a transport for each of `nodes`, without loss or duplication.
 *
 * @example
 * const network = memoryNetwork(['a', 'b']);
 * embed(protocol, { self: 'a', peers: ['b'], transport: network.transport('a') });
 */
export function memoryNetwork(
  nodes: Topology | readonly NodeId[],
  {
    order = 'fifo',
    schedule = queueMicrotask,
    clients = false,
  }: {
    /** Default `fifo`. With `any`, `schedule` decides in which order messages arrive. */
    readonly order?: 'fifo' | 'any';
    /** Runs `deliver` later, once for each message. Default `queueMicrotask`. */
    readonly schedule?: (deliver: () => void) => void;
    /** Whether nodes with other names may take part, as clients. Default false. */
    readonly clients?: boolean;
  } = {},
): { transport(id: NodeId): Transport } {
  const network: HandStepped = new HandStepped(
    idsOf(nodes),
    { order, loss: false, duplication: false },
    ({ from, to, message }) =>
      schedule(() => network.deliver(from, to, order === 'fifo' ? 0 : message)),
    clients,
  );
  return { transport: (id) => network.transport(id) };
}
