import type { Embedded } from '@conclave/core/embedding';
import type { Command, ConclaveError, NodeId, Protocol } from '@conclave/core/protocol';
import type { Delays } from '../delays.js';
import type { Timers } from '../time-of.js';
import type { LockOptions } from './lock-types.js';

/** What a node's lock is made of. */
export interface NodeLockOptions {
  readonly protocol: Protocol;
  readonly node: Embedded;
  /** All nodes of the lock. */
  readonly nodes: readonly NodeId[];
  /** The nodes that can request the lock; a coordinator may only serve others. */
  readonly requesters: readonly NodeId[];
  readonly delays: Delays;
  readonly acquire: Command;
  readonly clock: Timers;
  readonly now: () => number;
  readonly report: (error: ConclaveError) => void;
  readonly leaveWithin: number;
  readonly name: LockOptions['name'];
  readonly logger: LockOptions['logger'];
  readonly telemetry: LockOptions['telemetry'];
}
