import type { Conformed } from './conformed.js';

export type Complaint = Conformed['complaints'][number];
export type ComplaintKind = Complaint['kind'];

/** Ends the replay of a journal. */
export class Mismatch extends Error {
  constructor(
    readonly kind: ComplaintKind,
    readonly what: string,
    readonly cure = '',
  ) {
    super(what);
  }
}
