import { requireTopology } from '../protocol/check.js';
import { badInput, ConclaveError } from '../protocol/error.js';
import type { NodeId } from '../protocol/node.js';
import { type Protocol, roleOf } from '../protocol/protocol.js';
import { complete } from '../topology/generators.js';
import type { Topology } from '../topology/topology.js';
import type { StableStorage } from './storage.js';
import type { Transport } from './transport.js';

/** Either the network, or, where it is complete, the other nodes. */
export type Surroundings =
  | { readonly topology: Topology; readonly peers?: never }
  | { readonly peers: readonly NodeId[]; readonly topology?: never };

/**
 * The network that node `self` is part of.
 *
 * @throws {ConclaveError} `bad-input` when it is missing, or does not contain `self`; `bad-topology` when it is not what `protocol` needs.
 */
export function networkOf(protocol: Protocol, self: NodeId, { topology, peers }: Surroundings): Topology {
  if (!topology && !peers) throw badInput(`Node ${self} has no network`, 'Give embed a topology, or peers: the ids of the other nodes.');
  const network = topology ?? complete([...new Set([self, ...peers])].sort());
  if (!network.has(self)) throw badInput(`Node ${self} is not in the network '${network.spec}'`);
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

/** Whether a node of `protocol` must be admitted by its peers: one of them may remember an earlier incarnation, which the protocol does not tolerate. */
export const needsSession = ({ tolerates = [] }: Protocol, { guarantees, admitted }: Transport): boolean =>
  guarantees.restarts === true && admitted === undefined && !tolerates.includes('restart');

/**
 * A node that comes back without its stable fields breaks what it promised before.
 *
 * @throws {ConclaveError} `assumption` where nodes may come back, the node has stable fields, and there is no storage for them.
 */
export function requireStorage(
  protocol: Protocol,
  topology: Topology,
  { self, transport, storage }: { readonly self: NodeId; readonly transport: Transport; readonly storage?: StableStorage },
): void {
  const { stable = [] } = roleOf(protocol, self, topology);
  if (storage || stable.length === 0 || transport.guarantees.restarts !== true || transport.admitted) return;
  throw new ConclaveError(
    'assumption',
    `${protocol.title} keeps ${stable.join(', ')} on stable storage, and node ${self}, which may come back as a new process, has none`,
    "Give it storage: fileStorage('data/a'), from @conclave/core/embedding/node.",
  );
}

/** @throws {ConclaveError} `bad-input` where the protocol measures a time that is too short for timers of real time. */
export function requireTimes({ title, times = {} }: Protocol): void {
  for (const [option, { ms, least }] of Object.entries(times))
    if (ms < least)
      throw badInput(
        `${title}: ${option} is ${ms} ms, and timers of real time keep ${least} ms or more`,
        `Give a longer ${option}; where time is not real, give embed its clock.`,
      );
}
