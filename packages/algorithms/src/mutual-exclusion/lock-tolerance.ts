import { ConclaveError, type Protocol } from '@conclave/core/protocol';

/**
 * What a lock tolerates: no fault of a node, or crashes of less than half of the nodes, and
 * restarts.
 */
export const tolerances = ['none', 'crash'] as const;
export type Tolerance = (typeof tolerances)[number];

/** @throws {ConclaveError} `bad-input` where `protocol` does not tolerate crashes. */
export function requireTolerance({ title, tolerates = [] }: Protocol, tolerate: Tolerance): void {
  if (tolerate === 'crash' && !tolerates.includes('crash'))
    throw new ConclaveError(
      'bad-input',
      `${title} does not tolerate crashes, and the lock must: tolerate is 'crash'`,
      'Leave out the protocol, and lock chooses one; or leave out tolerate.',
    );
}
