import { ConclaveError } from '../base/error.js';

/**
 * The name of a property that every check of a protocol includes: no unspecified reception, as the
 * literature calls it.
 */
export const handled = 'every message is handled or explicitly ignored';
/** Another one: no deadlock. */
export const noDeadlock = 'no node waits in a quiescent state';
/** Another one: no machine breaks the node contract, or throws. */
export const noStepFails = 'no step fails';

/**
 * The names of the properties that every protocol is checked for: no node meets an unexpected
 * message (*unspecified reception* in the literature), no deadlock, and no machine that fails.
 */
export const standardProperties: readonly string[] = [handled, noDeadlock, noStepFails];

/** What becomes of a message that the state of its receiver does not handle. */
export type Unexpected = 'refuse' | 'discard';

/** Those that can fail: where unexpected messages are discarded, nothing is left unhandled. */
export const standardPropertiesOf = (unexpected: Unexpected | undefined): readonly string[] =>
  unexpected === 'discard'
    ? standardProperties.filter((name) => name !== handled)
    : standardProperties;

/** Whether a machine has broken the node contract; other errors are the caller's. */
export const breaksRules = (error: unknown): error is ConclaveError =>
  error instanceof ConclaveError && (error.code === 'unhandled' || error.code === 'bad-protocol');

/**
 * The property that a step which ends with such an error violates. Where messages are discarded, a
 * machine that does not handle its own choice fails.
 */
export const violatedBy = ({ code }: ConclaveError, unexpected?: Unexpected): string =>
  code === 'unhandled' && unexpected !== 'discard' ? handled : noStepFails;
