import type { embed } from '@conclave/core/embedding';
import type { Command, ConclaveError, Protocol } from '@conclave/core/protocol';
import type { Delays } from '../facade/delays.js';
import type { LockTelemetry } from './lock-telemetry.js';
import type { LockLogger } from './lock-types.js';

export type Embedded = ReturnType<typeof embed>;
export type Timers = NonNullable<Parameters<typeof embed>[1]['clock']>;

/** What a node's lock is made of. */
export interface NodeLockOptions {
  readonly protocol: Protocol;
  readonly node: Embedded;
  readonly delays: Delays;
  readonly acquire: Command;
  readonly clock: Timers;
  readonly now: () => number;
  readonly report: (error: ConclaveError) => void;
  readonly leaveWithin: number;
  readonly name: string | undefined;
  readonly logger: LockLogger | undefined;
  readonly telemetry: LockTelemetry | undefined;
}
