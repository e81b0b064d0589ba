import { ConclaveError, type Protocol } from '@conclave/core/protocol';

export type Tolerance = 'none' | 'crash';
export const tolerances: readonly Tolerance[] = ['none', 'crash'];

/** @throws {ConclaveError} `bad-input` where `protocol` does not tolerate crashes. */
export function requireTolerance({ title, tolerates = [] }: Protocol, tolerate: Tolerance): void {
  if (tolerate === 'crash' && !tolerates.includes('crash'))
    throw new ConclaveError(
      'bad-input',
      `${title} does not tolerate crashes, and the lock must: tolerate is 'crash'`,
      'Leave out the protocol, and lock chooses one; or leave out tolerate.',
    );
}
