import type { Topology } from '../topology/topology.js';
import { messageToStranger } from './contract-errors.js';
import { requireCounters } from './counters.js';
import { requireNoNotice } from './crash-notices.js';
import type { Send } from './effects.js';
import type { NodeId } from './node.js';
import type { Protocol } from './protocol.js';

/**
 * Requires what every host requires of a message that a node sends: there is a channel, it is no
 * crash notice, and its counters are whole numbers.
 *
 * @returns its largest counter, as `requireCounters`
 * @throws {ConclaveError} `bad-protocol`.
 */
export function requireSend(
  { protocol, topology }: { readonly protocol: Protocol; readonly topology: Topology },
  id: NodeId,
  sent: Pick<Send, 'to' | 'message'>,
  isLinked = topology.link(id, sent.to) !== undefined,
): ReturnType<typeof requireCounters> {
  if (!isLinked) throw messageToStranger(id, sent, topology.spec);
  requireNoNotice(protocol, id, sent.message);
  return requireCounters(protocol, id, sent.message);
}
