import { ConclaveError } from '@conclave/core/protocol';

/** What the user gave cannot be used: what, and what to do instead. */
export const badInput = (what: string, cure: string, cause?: unknown): ConclaveError =>
  new ConclaveError('bad-input', what, cure, { cause });

/** A text of a student as one line: what moves a cursor, or text on a page, is shown. */
export const visible = (text: string): string =>
  text.replace(
    /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );
