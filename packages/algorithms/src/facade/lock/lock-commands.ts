/** What a lock tells its node beside `acquire`, and how it knows that others may wait for it. */
import type { Embedded } from '@conclave/core/embedding';
import { type Command, ConclaveError, type Protocol } from '@conclave/core/protocol';
import type { CancellableCommand } from '../../mutual-exclusion/cancel.js';
import type { SharingCommand } from '../../mutual-exclusion/permission/interval-reservation/protocol.js';
import type { LeaseCommand } from '../../mutual-exclusion/permission/leased-majority/protocol.js';

export const release: CancellableCommand = Object.freeze({ type: 'release' });
export const share: SharingCommand = Object.freeze({ type: 'share' });
export const cancel: CancellableCommand = Object.freeze({ type: 'cancel' });
export const giveUp: LeaseCommand = Object.freeze({ type: 'yield' });

/** The tags of a node that others may wait for. */
export const tagsOfInvolved: readonly string[] = ['waiting', 'critical', 'withdrawing'];

/**
 * @throws {ConclaveError} `bad-input` for a protocol without revocation, a node that does not vote,
 * or no reason.
 */
export function revocationBy(
  { title, commands }: Protocol,
  node: Embedded,
  reason: string,
): Command {
  if (!('revoke' in commands))
    throw new ConclaveError(
      'bad-input',
      `${title} does not take the lock away from a node`,
      "Give tolerate: 'crash', or the protocol leasedMajority({ revoke: true }).",
    );
  if (typeof reason !== 'string')
    throw new ConclaveError('bad-input', 'revoke has no reason', "Give a text: 'by hand'.");
  const command: Extract<LeaseCommand, { readonly type: 'revoke' }> = { type: 'revoke', reason };
  if (!node.takes(command))
    throw new ConclaveError(
      'bad-input',
      `Node ${node.id} does not vote, so that it does not know what there is to revoke`,
      'Call revoke at a server, or at one of lock.voters.',
    );
  return command;
}

/** A machine that fails is reported, not thrown: the caller did nothing wrong. */
export function tell(
  node: Embedded,
  command: Command,
  report: (error: ConclaveError) => void,
): void {
  try {
    node.send(command);
  } catch (error) {
    if (!(error instanceof ConclaveError)) throw error;
    // otherwise a late timer has changed the state first: see #serve of the lock
    if (error.code !== 'unhandled') report(error);
  }
}
