/** What a lock tells its node beside `acquire`, and how it knows that others may wait for it. */
import type { Embedded } from '@conclave/core/embedding';
import { type Command, ConclaveError } from '@conclave/core/protocol';
import type { CancellableCommand } from '../../mutual-exclusion/cancel.js';
import type { SharingCommand } from '../../mutual-exclusion/permission/interval-reservation/protocol.js';
import type { LeaseCommand } from '../../mutual-exclusion/permission/leased-majority/protocol.js';

export const release: CancellableCommand = Object.freeze({ type: 'release' });
export const share: SharingCommand = Object.freeze({ type: 'share' });
export const cancel: CancellableCommand = Object.freeze({ type: 'cancel' });
export const giveUp: LeaseCommand = Object.freeze({ type: 'yield' });

/** The tags of a node that others may wait for. */
export const tagsOfInvolved: readonly string[] = ['waiting', 'critical', 'withdrawing'];

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
