import { badInput, ConclaveError } from '../base/error.js';
import { requireTopology } from '../protocol/check.js';
import type { NodeId } from '../protocol/node.js';
import { type Protocol, roleOf } from '../protocol/protocol.js';
import { complete } from '../topology/generators.js';
import type { Topology } from '../topology/topology.js';
import type { StableStorage } from './storage.js';
import type { Transport } from './transport.js';

/**
 * The network; or, where it is complete, all nodes, or the other ones. With `nodes`, a wrong name
 * of this node is an error.
 */
export type Surroundings =
  | { readonly topology: Topology; readonly nodes?: never; readonly peers?: never }
  | { readonly nodes: readonly NodeId[]; readonly topology?: never; readonly peers?: never }
  | { readonly peers: readonly NodeId[]; readonly topology?: never; readonly nodes?: never };

/**
 * The network that node `self` is part of.
 * @throws {ConclaveError} `bad-input` when it is missing, given twice, or does not contain `self`.
 */
export function surroundingsOf(self: NodeId, { topology, nodes, peers }: Surroundings): Topology {
  const given = [topology, nodes, peers].filter((one) => one !== undefined).length;
  const cure = 'Give peers: the ids of the other nodes; or nodes: those of all; or a topology.';
  if (given !== 1)
    throw badInput(
      `Node ${self} has ${given === 0 ? 'no network' : 'more than one network'}`,
      cure,
    );
  const network = topology ?? complete([...new Set(nodes ?? [self, ...(peers ?? [])])].sort());
  if (!network.has(self))
    throw badInput(
      `Node ${self} is none of the nodes ${network.nodes.join(', ')}`,
      'Give it the name of one of them.',
    );
  return network;
}

/** The same. @throws {ConclaveError} also `bad-topology` when it is not what `protocol` needs. */
export function networkOf(protocol: Protocol, self: NodeId, surroundings: Surroundings): Topology {
  const network = surroundingsOf(self, surroundings);
  requireTopology(protocol, network);
  return network;
}

/**
 * Compares the guarantees of `transport` with what `protocol` assumes of its channels.
 *
 * @throws {ConclaveError} `assumption`, naming each missing guarantee.
 */
export function requireGuarantees(protocol: Protocol, { guarantees }: Transport): void {
  const { channels, crashNotice } = protocol;
  if (crashNotice !== undefined && guarantees.crashes !== 'reported')
    throw new ConclaveError(
      'assumption',
      `${protocol.title} assumes a network that reports crashes ('${crashNotice}'), and the transport does not`,
      'Take an option of the protocol with a failure detector of its own, if it has one.',
    );
  const missing = [
    ...(channels.order === 'fifo' && guarantees.order === 'any' ? ['reorder'] : []),
    ...(!channels.loss && guarantees.loss ? ['lose'] : []),
    ...(!channels.duplication && guarantees.duplication ? ['duplicate'] : []),
  ];
  if (missing.length === 0) return;
  throw new ConclaveError(
    'assumption',
    `${protocol.title} assumes channels that never ${missing.join(' or ')} messages, but the transport may`,
    'Wrap it: reliable(transport), from @conclave/core/embedding.',
  );
}

/**
 * @throws {ConclaveError} `bad-input` where the transport was not told the name of a neighbour, or,
 * where nodes admit each other, of any node.
 */
export function requirePeers(topology: Topology, transport: Transport): void {
  const { self, peers, guarantees } = transport;
  if (!peers) return;
  const missing = topology.nodes.filter(
    (id) => id !== self && !peers.includes(id) && (guarantees.restarts || topology.link(self, id)),
  );
  if (missing.length > 0)
    throw badInput(
      `The transport of node ${self} has no peer ${missing.join(', ')}: its peers are ${peers.join(', ') || 'none'}`,
      'Name all other nodes as peers of the transport.',
    );
}

/**
 * A node that comes back without its stable fields breaks what it promised before.
 *
 * @throws {ConclaveError} `assumption` where nodes may come back, the node has stable fields, and
 * there is no storage for them.
 */
export function requireStorage(
  protocol: Protocol,
  topology: Topology,
  {
    self,
    transport,
    storage,
  }: { readonly self: NodeId; readonly transport: Transport; readonly storage?: StableStorage },
): void {
  const { stable = [] } = roleOf(protocol, self, topology);
  if (
    storage ||
    stable.length === 0 ||
    !protocol.tolerates?.includes('restart') ||
    transport.guarantees.restarts !== true
  )
    return;
  throw new ConclaveError(
    'assumption',
    `${protocol.title} keeps ${stable.join(', ')} on stable storage, and node ${self}, which may come back as a new process, has none`,
    "Give it storage: fileStorage('data/a'), from @conclave/core/embedding/node.",
  );
}

/**
 * @throws {ConclaveError} `bad-input` where the protocol measures a time that is too short for
 * timers of real time.
 */
export function requireTimes({ title, times = {} }: Protocol): void {
  for (const [option, { ms, least }] of Object.entries(times))
    if (ms < least)
      throw badInput(
        `${title}: ${option} is ${ms} ms, and timers of real time keep ${least} ms or more`,
        `Give a longer ${option}; where time is not real, give embed its clock.`,
      );
}
