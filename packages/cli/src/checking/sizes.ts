import { ConclaveError, optionalCommands, type Protocol, requireTopology } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';

/** A system to be looked at: a network, and how often each node may wish. */
export interface Size {
  readonly topology: Topology;
  readonly entries: number;
}

/** A network of more nodes is beyond any search that lists its states one by one, and may split in more ways than are explored. */
const mostNodes = 12;

/**
 * Systems of rising size: from two nodes on those of the shape that the protocol needs, each with one wish a node and then with two, where
 * there is anything to wish. Sizes that the shape does not have are left out.
 *
 * @throws {ConclaveError} `bad-topology`, `bad-input` for a protocol whose need its own example does not meet.
 */
export function* sizes(protocol: Protocol): Generator<Size> {
  const most = optionalCommands(protocol).length === 0 ? 1 : 2;
  const known = new Set<string>();
  for (let nodes = 2; nodes <= mostNodes; nodes++) {
    const topology = fitting(protocol, nodes);
    if (!topology || known.has(topology.spec)) continue;
    known.add(topology.spec);
    for (let entries = 1; entries <= most; entries++) yield { topology, entries };
  }
  if (known.size === 0) requireTopology(protocol, protocol.topology.example(3)); // says why it will not do
}

/** The protocol's own example of so many nodes; undefined where it has none. */
function fitting({ topology: need }: Protocol, nodes: number): Topology | undefined {
  try {
    const topology = need.example(nodes);
    return need.refuses(topology) === undefined ? topology : undefined;
  } catch (error) {
    if (error instanceof ConclaveError) return undefined;
    throw error;
  }
}

/** `complete:3 with up to 2 wishes each` */
export const sizeText = ({ topology, entries }: Size): string =>
  `${topology.spec} with ${entries === 1 ? 'one wish' : `up to ${entries} wishes`} each`;
