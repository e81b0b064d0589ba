import type { Slices } from '@conclave/check/internal';
import type { ConclaveError } from '@conclave/core/protocol';
import type { Setup } from '../link/link.js';
import { checkInSlices } from '../model/conclusion.js';
import { pathsOf } from '../model/paths.js';
import { graph } from '../model/state-graph.js';
import type { System } from '../model/system.js';
import { judged, tried } from '../playground/tried.js';
import type { Language } from '../texts/say.js';

/**
 * What a worker can do, by name: each task is a plain function of plain data, which runs in Node,
 * too, and tells its progress. One that works in slices can be held between them.
 */
const functions = { check: checkInSlices, graph, paths: pathsOf, tried, judged };

type Tasks = typeof functions;
export type TaskName = keyof Tasks;
export type Input<T extends TaskName> = Parameters<Tasks[T]>[1];
export type Progress<T extends TaskName> = Parameters<Parameters<Tasks[T]>[2]>[0];
type Made<T extends TaskName> = ReturnType<Tasks[T]>;
export type Result<T extends TaskName> = Made<T> extends Slices<infer R> ? R : Made<T>;

export const tasks: {
  readonly [T in TaskName]: (
    system: System,
    input: Input<T>,
    onProgress: (progress: Progress<T>) => void,
  ) => Made<T>;
} = functions;

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
