/** The errors of a machine that breaks the node contract. */
import type { EventObject } from 'xstate';
import { badInput, ConclaveError } from '../base/error.js';
import type { Topology } from '../topology/topology.js';
import type { Send } from './effects.js';
import type { Message, NodeId } from './node.js';
import type { Protocol } from './protocol.js';

/** The error for a machine that threw `cause`. */
export const machineError = (id: NodeId, cause: unknown): ConclaveError =>
  cause instanceof ConclaveError ? cause : contractError(id, 'failed', cause);

/** The error for a machine that breaks the node contract while running. */
export function contractError(id: NodeId, what: string, cause?: unknown): ConclaveError {
  const why =
    cause === undefined ? '' : `: ${cause instanceof Error ? cause.message : String(cause)}`;
  return new ConclaveError(
    'bad-protocol',
    `Node ${id} ${what}${why}`,
    '',
    cause === undefined ? {} : { cause },
  );
}

/** The error for a delayed raise that XState would give a random id. */
export function timerWithoutId(id: NodeId, { type }: EventObject, delay: number): ConclaveError {
  return contractError(
    id,
    `raises '${type}' after ${delay} ms without an id; give the delayed raise one`,
  );
}

/** The error for a message to a node that is no neighbour. */
export function messageToStranger(
  id: NodeId,
  { to, message }: Pick<Send, 'to' | 'message'>,
  network: string,
): ConclaveError {
  return contractError(
    id,
    `sends '${message.type}' to ${to}, to which it has no channel in '${network}'`,
  );
}

export function timerArmedTwice(id: NodeId, timer: string): ConclaveError {
  return contractError(id, `arms the timer '${timer}' while it is still armed; cancel it first`);
}

/**
 * What the network sends the neighbours of node `id` when it crashes; see `crashNotice` of a
 * protocol.
 */
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
