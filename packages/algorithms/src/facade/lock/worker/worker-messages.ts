/** What the thread of a program and the thread of its lock tell each other. */
import { ConclaveError, type NodeId } from '@conclave/core/protocol';

/** A call has one number, from its request to its release. */
export type ToWorker =
  | {
      readonly type: 'acquire';
      readonly call: number;
      readonly stall: number;
      readonly waitFor: number | undefined;
      /** Whether it is `tryAcquire`. */
      readonly tries: boolean;
    }
  | { readonly type: 'abort' | 'release'; readonly call: number }
  | { readonly type: 'close' };

export type FromWorker =
  | { readonly type: 'ready'; readonly id: NodeId; readonly name: string | undefined }
  | {
      readonly type: 'granted';
      readonly call: number;
      readonly memory: SharedArrayBuffer;
      readonly fencingToken: number | undefined;
      readonly fencingCondition: string | undefined;
    }
  /** Without an error: `tryAcquire` did not get it. */
  | { readonly type: 'refused'; readonly call: number; readonly error?: ErrorFields }
  | { readonly type: 'ended'; readonly call: number }
  | { readonly type: 'closed' };

/** An error is copied between threads without its class. */
interface ErrorFields {
  readonly code: ConclaveError['code'];
  readonly what: string;
  readonly cure: string;
}

export function fieldsOf(error: unknown): ErrorFields {
  if (error instanceof ConclaveError) {
    const { code, what, cure } = error;
    return { code, what, cure };
  }
  return { code: 'closed', what: String(error), cure: '' };
}

export const errorOf = ({ code, what, cure }: ErrorFields, cause: unknown): ConclaveError =>
  new ConclaveError(code, what, cure, cause === undefined ? undefined : { cause });
