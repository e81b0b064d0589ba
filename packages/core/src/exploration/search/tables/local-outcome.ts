import type { ConclaveError } from '../../../base/error.js';
import type { HostEffect } from '../../../protocol/step.js';
import type { Choice } from '../../worlds/world.js';

/**
 * The result of a local step: the number of the next local state, its sends (slot, message, slot,
 * message …), its choices, the timers it arms.
 */
export interface LocalOutcome {
  readonly state: number;
  readonly sends: readonly number[];
  readonly choices: readonly Choice[];
  /** The timers that it arms. */
  readonly armed: readonly string[];
  /** All that it makes the host do, in the machine's order. */
  readonly effects: readonly HostEffect[];
  /** Set if the step fails; the other fields are meaningless then. */
  readonly error?: ConclaveError;
}
