import type { Slices } from '@conclave/check/internal';
import { ConclaveError } from '@conclave/core/protocol';
import { systemOf } from '../model/system.js';
import { german } from '../texts/german.js';
import { speak } from '../texts/say.js';
import {
  type Hold,
  type JobReply,
  type JobRequest,
  type Result,
  type TaskName,
  tasks,
} from './tasks.js';

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
    speak(() => (data.lang === 'de' ? german : undefined));
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
  const made: Slices<Result<T>> | Result<T> = tasks[task](
    await systemOf(setup),
    input,
    (progress) => scope.postMessage({ kind: 'progress', progress }),
  ) as Slices<Result<T>> | Result<T>; // what the type of `Result` says, which the compiler does not take apart
  return isSliced(made) ? turns.end(made) : made;
}

const isSliced = <R>(made: Slices<R> | R): made is Slices<R> =>
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

  async end<R>(work: Slices<R>): Promise<R> {
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
