import { ConclaveError, type Protocol } from '@conclave/core/protocol';

/**
 * An error of a node for the user of a lock, an election or a group, who can change its
 * surroundings and not its machine.
 */
export function errorForUser(
  error: ConclaveError,
  { title }: Protocol,
  kind: 'lock' | 'election' | 'group',
): ConclaveError {
  const { code, what } = error;
  if (code === 'unhandled')
    return new ConclaveError(
      code,
      `The ${kind} got a message that ${title} rules out: ${what}`,
      `Check that the transport loses, duplicates and reorders nothing that ${title} needs, that no node crashed and came back, and that all nodes run the same version. Close the ${kind} and start all nodes anew.`,
      { cause: error },
    );
  if (code === 'bad-protocol')
    return new ConclaveError(
      code,
      `The ${kind} is closed, for its protocol ${title} failed: ${what}`,
      `Check that all nodes name the same nodes and run the same version; otherwise report this to the author of ${title}.`,
      { cause: error },
    );
  return error;
}
