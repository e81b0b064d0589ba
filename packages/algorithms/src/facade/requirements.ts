import { ConclaveError, type Protocol } from '@conclave/core/protocol';

/** The name of the detector in the messages, as in a protocol that has one as a part. */
export const detectorPart = 'detector';

/**
 * @throws {ConclaveError} `bad-input` for a detector that is none, or one beside a protocol with
 * its own.
 */
export function requireDetector(detector: Protocol, { title, messages }: Protocol): void {
  requireProblem(detector, 'failure-detection', 'a detector', 'Try heartbeat().');
  if (Object.keys(messages).some((type) => type.startsWith(`${detectorPart}-`)))
    throw new ConclaveError(
      'bad-input',
      `${title} has a failure detector of its own`,
      'Leave out the option detector.',
    );
}

/** @throws {ConclaveError} `bad-input` for a protocol of another problem. */
export function requireProblem(
  { title, problem }: Protocol,
  wanted: string,
  what: string,
  cure: string,
): void {
  if (problem !== wanted)
    throw new ConclaveError(
      'bad-input',
      `${title} solves '${problem}'; ${what} needs a protocol for '${wanted}'`,
      cure,
    );
}
