/** What a lock tells its node beside `acquire`. */
import type { CancellableCommand } from '../../mutual-exclusion/cancel.js';
import type { LeaseCommand } from '../../mutual-exclusion/permission/leased-majority/protocol.js';

export const release: CancellableCommand = Object.freeze({ type: 'release' });
export const cancel: CancellableCommand = Object.freeze({ type: 'cancel' });
export const giveUp: LeaseCommand = Object.freeze({ type: 'yield' });
