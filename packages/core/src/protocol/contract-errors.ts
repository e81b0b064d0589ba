/**
 * The errors of a machine that breaks the node contract. Steps, actors, compiled nodes and both
 * simulators find the same mistakes in different places; the texts stand here, so that they agree.
 */
import type { EventObject } from 'xstate';
import { ConclaveError } from '../base/error.js';
import type { Send } from './effects.js';
import type { NodeId } from './node.js';

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
