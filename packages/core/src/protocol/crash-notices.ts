/**
 * Crash notices: the message by which the network itself reports a crash, see `crashNotice` of a
 * protocol. Each host sends them, refuses nodes that send one, and refuses networks on which the
 * report could get lost: a protocol that relies on notices needs each crash reported exactly once.
 */
import { badInput } from '../base/error.js';
import type { Topology } from '../topology/topology.js';
import { contractError } from './contract-errors.js';
import type { Send } from './effects.js';
import type { Message, NodeId } from './node.js';
import type { Protocol } from './protocol.js';

/** What the network sends the neighbours of node `id` when it crashes. */
export function crashNotices(
  { crashNotice }: Protocol,
  topology: Topology,
  id: NodeId,
): readonly Send[] {
  if (crashNotice === undefined) return [];
  return topology
    .successors(id)
    .map((to) => ({ type: 'send', to, message: { type: crashNotice } }));
}

/**
 * @throws {ConclaveError} `bad-protocol` for a machine that sends the crash notice itself: a notice
 * tells that its sender has crashed.
 */
export function requireNoNotice({ crashNotice }: Protocol, id: NodeId, { type }: Message): void {
  if (type === crashNotice)
    throw contractError(
      id,
      `sends '${type}' itself, the crash notice, which only the network sends`,
    );
}

/**
 * A network that loses, copies or cuts off notices does not report each crash exactly once.
 *
 * @throws {ConclaveError} `bad-input`, where `faults` names what the network may do.
 */
export function requireReports(
  { title, crashNotice }: Protocol,
  faults: Readonly<Record<string, boolean>>,
): void {
  if (crashNotice === undefined) return;
  const possible = Object.keys(faults).filter((name) => faults[name]);
  if (possible.length === 0) return;
  throw badInput(
    `${title} relies on a network that reports each crash ('${crashNotice}'), but this one has ${possible.join(' and ')}`,
    'Leave them out, or take a protocol that finds out about crashes by itself.',
  );
}
