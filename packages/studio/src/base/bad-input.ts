import { ConclaveError } from '@conclave/core/protocol';

/** What the user gave cannot be used: what, and what to do instead. */
export const badInput = (what: string, cure: string, cause?: unknown): ConclaveError =>
  new ConclaveError('bad-input', what, cure, { cause });
