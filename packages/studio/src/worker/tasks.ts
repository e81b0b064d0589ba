/** What a worker of the page does: a task about one system; then the page ends it. */
import type { Resumable } from '@conclave/check/internal';
import { ConclaveError } from '@conclave/core/protocol';
import type { Setup } from '../link/link.js';
import { checkResumably } from '../model/conclusion.js';
import { pathsOf } from '../model/paths.js';
import { graph } from '../model/state-graph.js';
import { type System, systemOf } from '../model/system.js';
import { checkModule, judgeModule } from '../playground/trial-tasks.js';
import { speak, type Table } from '../texts/say.js';

/**
 * What a worker can do, by name: each task is a plain function of plain data, which runs in Node,
 * too, and tells its progress. One that is resumable can be held.
 */
const functions = {
  check: checkResumably,
  graph,
  paths: pathsOf,
  trial: checkModule,
  judging: judgeModule,
};

type Tasks = typeof functions;
export type TaskName = keyof Tasks;
export type Input<T extends TaskName> = Parameters<Tasks[T]>[1];
export type Progress<T extends TaskName> = Parameters<Parameters<Tasks[T]>[2]>[0];
type Made<T extends TaskName> = ReturnType<Tasks[T]>;
export type Result<T extends TaskName> = Made<T> extends Resumable<infer R> ? R : Made<T>;

const tasks: {
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
  /** What it speaks; undefined: English. */
  readonly texts: Table | undefined;
}

/** What it sends later: the worker is to wait, and to go on. */
export type Hold = 'pause' | 'go on';

/** What a worker sends to the page: any number of times its progress, then one of the others. */
export type JobReply<T extends TaskName = TaskName> =
  | { readonly kind: 'progress'; readonly progress: Progress<T> }
  /** It waits, and may go on. */
  | { readonly kind: 'paused' }
  | { readonly kind: 'result'; readonly result: Result<T> }
  | ({ readonly kind: 'refused' } & Pick<ConclaveError, 'code' | 'what' | 'cure'>)
  | { readonly kind: 'failed'; readonly reason: string };

/** The parts of a worker's global scope that are used. */
interface Scope {
  onmessage: ((event: MessageEvent<JobRequest | Hold>) => void) | null;
  postMessage(reply: JobReply): void;
}

/** What the worker does: one job, then the page ends it. */
export function work(scope: Scope = self): void {
  const turns = new Turns(() => scope.postMessage({ kind: 'paused' }));
  scope.onmessage = async ({ data }) => {
    if (typeof data === 'string') return turns.take(data);
    speak(() => data.texts);
    try {
      scope.postMessage({ kind: 'result', result: await resultOf(data, scope, turns) });
    } catch (error) {
      scope.postMessage(failure(error));
    }
  };
}

async function resultOf<T extends TaskName>(
  { task, setup, input }: JobRequest<T>,
  scope: Scope,
  turns: Turns,
): Promise<Result<T>> {
  const made: Resumable<Result<T>> | Result<T> = tasks[task](
    await systemOf(setup),
    input,
    (progress) => scope.postMessage({ kind: 'progress', progress }),
  ) as Resumable<Result<T>> | Result<T>; // what the type of `Result` says, which the compiler does not take apart
  return isResumable(made) ? turns.end(made) : made;
}

const isResumable = <R>(made: Resumable<R> | R): made is Resumable<R> =>
  typeof made === 'object' && made !== null && Symbol.iterator in made && 'next' in made;

/** In milliseconds: so long it works before it listens. */
const turn = 200;

/** Works in turns; between them it hears whether it is to wait. */
class Turns {
  #isHeld = false;
  #goOn = () => {};

  constructor(private readonly paused: () => void) {}

  take(hold: Hold): void {
    this.#isHeld = hold === 'pause';
    if (!this.#isHeld) this.#goOn();
  }

  async end<R>(work: Resumable<R>): Promise<R> {
    for (let ends = performance.now() + turn; ; ) {
      const { done, value } = work.next();
      if (done) return value;
      if (performance.now() < ends) continue;
      await new Promise((resolve) => setTimeout(resolve));
      while (this.#isHeld) await this.#wait();
      ends = performance.now() + turn;
    }
  }

  #wait(): Promise<void> {
    this.paused();
    return new Promise((resolve) => {
      this.#goOn = resolve;
    });
  }
}

function failure(error: unknown): JobReply {
  if (error instanceof ConclaveError)
    return { kind: 'refused', code: error.code, what: error.what, cure: error.cure };
  return { kind: 'failed', reason: error instanceof Error ? error.message : String(error) };
}
