/** What a lock tells its node beside `acquire`. */
import type { CancellableCommand } from '../../mutual-exclusion/cancel.js';
import type { LeaseCommand } from '../../mutual-exclusion/permission/leased-majority/protocol.js';

export const release: CancellableCommand = { type: 'release' };
export const cancel: CancellableCommand = { type: 'cancel' };
export const giveUp: LeaseCommand = { type: 'yield' };
