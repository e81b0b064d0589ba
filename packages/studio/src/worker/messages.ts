import type { ConclaveError } from '@conclave/core/protocol';
import type { Setup } from '../link/setup.js';
import type { Language } from '../texts/say.js';
import type { Input, Progress, Result, TaskName } from './tasks.js';

/** What the page sends to a worker, once: plain data, which is cloned. */
export interface JobRequest<T extends TaskName = TaskName> {
  readonly task: T;
  readonly setup: Setup;
  readonly input: Input<T>;
  /** Of what it says. */
  readonly lang: Language;
}

/** What it sends later: the worker is to wait, and to go on. */
export type Hold = 'pause' | 'go on';

/** What a worker sends to the page: any number of times its progress, then one of the others. */
export type JobReply<T extends TaskName = TaskName> =
  | { readonly kind: 'progress'; readonly progress: Progress<T> }
  /** It waits, and may go on. */
  | { readonly kind: 'paused' }
  | { readonly kind: 'result'; readonly result: Result<T> }
  /** A mistake of the user. */
  | ({ readonly kind: 'refused' } & Pick<ConclaveError, 'code' | 'what' | 'cure'>)
  /** The worker could not finish. */
  | { readonly kind: 'failed'; readonly reason: string };
