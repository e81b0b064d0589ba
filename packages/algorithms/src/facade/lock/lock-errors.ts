import { ConclaveError, type Message, type NodeId, type Protocol } from '@conclave/core/protocol';
import { LockLost } from './lock-held.js';

export const isClosed = (id: NodeId): ConclaveError =>
  new ConclaveError('closed', `The lock of node ${id} is closed`);

/** @throws {ConclaveError} `bad-input` at a node that only serves the others. */
export function requireRequester(
  id: NodeId,
  { protocol, requesters }: { readonly protocol: Protocol; readonly requesters: readonly NodeId[] },
): void {
  if (requesters.includes(id)) return;
  const [first = '', ...others] = requesters;
  throw new ConclaveError(
    'bad-input',
    `Node ${id} never requests the lock: by ${protocol.title} it only serves the other nodes`,
    `Acquire at another node, such as ${others.at(-1) ?? first}.`,
  );
}

/** @param late that it did not get the lock in time */
export const isHeldHere = (late: string): ConclaveError =>
  new ConclaveError(
    'timed-out',
    `${late}: another call on this node has it`,
    'Wait longer, or release it.',
  );

/** Its entries would have the same token, or one that is smaller than before. */
export const hasNoToken = (id: NodeId, token: number): ConclaveError =>
  new ConclaveError(
    'assumption',
    `Node ${id} does not enter: its fencing token would be ${token}, and numbers are exact up to 2^53 − 1 only`,
    'Stop all nodes, and start them with empty storages in the next epoch: fencing tokens begin anew.',
  );

/** @param told what the machine says of it, if anything */
export function isLost(id: NodeId, told: Message | undefined): LockLost {
  const reason = told && 'reason' in told ? String(told.reason) : 'revoked';
  const what = `Node ${id} has lost the lock: it was revoked`;
  return told && 'why' in told
    ? new LockLost(id, reason, `${what}, ${JSON.stringify(told.why)}`)
    : new LockLost(id, reason);
}

export const isSuspected = (id: NodeId, isInside: boolean): LockLost =>
  new LockLost(
    id,
    'suspected',
    `Node ${id} has lost the lock for good: another node takes it for crashed`,
    isInside ? 'Stop the work in the critical section.' : 'Give the detector a longer time-out.',
  );
