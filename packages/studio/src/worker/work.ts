import { ConclaveError } from '@conclave/core/protocol';
import { systemOf } from '../model/system.js';
import { german } from '../texts/german.js';
import { speak } from '../texts/say.js';
import type { JobReply, JobRequest } from './messages.js';
import { type Result, type TaskName, tasks } from './tasks.js';

/** The parts of a worker's global scope that are used. */
interface Scope {
  onmessage: ((event: MessageEvent<JobRequest>) => void) | null;
  postMessage(reply: JobReply): void;
}

/** What the worker does: one job, then the page ends it. */
export function work(scope: Scope = self): void {
  scope.onmessage = async ({ data }) => {
    speak(() => (data.lang === 'de' ? german : undefined));
    try {
      scope.postMessage({ kind: 'result', result: await resultOf(data, scope) });
    } catch (error) {
      scope.postMessage(failure(error));
    }
  };
}

const resultOf = async <T extends TaskName>(
  { task, setup, input }: JobRequest<T>,
  scope: Scope,
): Promise<Result<T>> =>
  tasks[task](await systemOf(setup), input, (progress) =>
    scope.postMessage({ kind: 'progress', progress }),
  );

function failure(error: unknown): JobReply {
  if (error instanceof ConclaveError)
    return { kind: 'refused', code: error.code, what: error.what, cure: error.cure };
  return { kind: 'failed', reason: error instanceof Error ? error.message : String(error) };
}
