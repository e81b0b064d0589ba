/** The errors of an embedded node. */
import { ConclaveError } from '../base/error.js';
import { stateText } from '../protocol/handles.js';
import type { Command, Message, NodeId } from '../protocol/node.js';
import type { NodeView } from '../protocol/property.js';
import type { Guarantees } from './transport.js';

export const isClosed = (id: NodeId, { type }: Command): ConclaveError =>
  new ConclaveError('closed', `Node ${id} is closed; it takes no '${type}'`);

export const isNotAdmitted = (id: NodeId, { type }: Command): ConclaveError =>
  new ConclaveError(
    'unhandled',
    `Node ${id} is not admitted by its peers yet; it takes no '${type}'`,
    'Wait for its peers first: await node.admitted. It resolves when all nodes of the network have been started.',
  );

export const isNotTaken = (
  { id, value }: Pick<NodeView, 'id' | 'value'>,
  { type }: Command,
): ConclaveError =>
  new ConclaveError(
    'unhandled',
    `Node ${id} in '${stateText(value)}' does not take the command '${type}'`,
    'Wait for a state that does: see takes(command) and state$.',
  );

export const wasClosed = (id: NodeId): ConclaveError =>
  new ConclaveError('closed', `Node ${id} was closed before its peers had admitted it`);

/** Why a node takes part in nothing, where others refuse it. */
export const asRefusal = (error: unknown): ConclaveError | undefined =>
  error instanceof ConclaveError && error.code === 'refused' ? error : undefined;

export const couldNotStart = (id: NodeId): ConclaveError =>
  new ConclaveError('closed', `Node ${id} could not start`, 'See its errors.');

export const lostTransport = (id: NodeId, reason: string): ConclaveError =>
  new ConclaveError('closed', `Node ${id} has lost its transport for good: ${reason}`);

/**
 * Where the transport promises to lose nothing, the node stops: `closed`. Otherwise the code is that
 * of the cause.
 */
export function cannotSend(
  id: NodeId,
  to: NodeId,
  { type }: Message,
  { loss }: Guarantees,
  cause: unknown,
): ConclaveError {
  const what = `cannot send '${type}' to ${to}: ${textOf(cause)}`;
  if (loss) {
    const code = cause instanceof ConclaveError ? cause.code : 'unavailable';
    return new ConclaveError(code, `Node ${id} ${what}`, '', { cause });
  }
  return new ConclaveError(
    'closed',
    `Node ${id} has stopped: it ${what}`,
    'The protocol relies on each message, and this one is lost. See what the transport says, then start the node again.',
    { cause },
  );
}

export const textOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
