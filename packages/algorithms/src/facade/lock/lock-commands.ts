/** What a lock tells its node beside `acquire`, and how it knows that others may wait for it. */
import type { CancellableCommand } from '../../mutual-exclusion/cancel.js';
import type { LeaseCommand } from '../../mutual-exclusion/permission/leased-majority/protocol.js';

export const release: CancellableCommand = Object.freeze({ type: 'release' });
export const cancel: CancellableCommand = Object.freeze({ type: 'cancel' });
export const giveUp: LeaseCommand = Object.freeze({ type: 'yield' });

/** The tags of a node that others may wait for. */
export const tagsOfInvolved: readonly string[] = ['waiting', 'critical', 'withdrawing'];
