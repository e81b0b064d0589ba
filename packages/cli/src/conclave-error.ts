import type { ConclaveError, ErrorCode } from '@conclave/core/protocol';

/**
 * Whether `error` is one of Conclave's own, and of one of `codes` where any are given.
 * By its shape: a module of the user's own may bring another copy of the class.
 */
export function isConclaveError(error: unknown, ...codes: readonly ErrorCode[]): error is ConclaveError {
  if (!(error instanceof Error && error.name === 'ConclaveError' && 'code' in error)) return false;
  return codes.length === 0 || codes.some((code) => code === error.code);
}
