/** The properties that every protocol is checked for, by their names. */
import { everyMessageHandled, noStepFails } from '@conclave/core/internal';
import type { Budget } from './budget.js';

/** No deadlock. */
export const noDeadlock = 'no node waits in a quiescent state';

/**
 * No node meets an unexpected message (*unspecified reception* in the literature), no deadlock, and
 * no machine that fails.
 */
export const standardProperties: readonly string[] = [everyMessageHandled, noDeadlock, noStepFails];

/** Those that can fail: where unexpected messages are discarded, nothing is left unhandled. */
export const standardPropertiesOf = (unexpected: Budget['unexpected']): readonly string[] =>
  unexpected === 'discard'
    ? standardProperties.filter((name) => name !== everyMessageHandled)
    : standardProperties;
