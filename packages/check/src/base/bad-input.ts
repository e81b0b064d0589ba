import { ConclaveError } from '@conclave/core/protocol';

/** What the user gave cannot be used: what, and what to do instead. */
export const badInput = (what: string, cure?: string, options?: ErrorOptions): ConclaveError =>
  new ConclaveError('bad-input', what, cure, options);
