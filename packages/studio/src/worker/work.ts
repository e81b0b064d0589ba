import { ConclaveError } from '@conclave/core/protocol';
import { systemOf } from '../model/system.js';
import { german } from '../texts/german.js';
import { speak } from '../texts/say.js';
import type { JobReply, JobRequest } from './messages.js';
import { tasks } from './tasks.js';

/** The parts of a worker's global scope that are used. */
interface Scope {
  onmessage: ((event: MessageEvent<JobRequest>) => void) | null;
  postMessage(reply: JobReply): void;
}

/** What the worker does: one job, then the page ends it. */
export function work(scope: Scope = self): void {
  scope.onmessage = async ({ data: { task, setup, input, lang } }) => {
    speak(() => (lang === 'de' ? german : undefined));
    try {
      const result = tasks[task](await systemOf(setup), input, (progress) =>
        scope.postMessage({ kind: 'progress', progress }),
      );
      scope.postMessage({ kind: 'result', result });
    } catch (error) {
      scope.postMessage(failure(error));
    }
  };
}

function failure(error: unknown): JobReply {
  if (error instanceof ConclaveError)
    return { kind: 'refused', code: error.code, what: error.what, cure: error.cure };
  return { kind: 'failed', reason: error instanceof Error ? error.message : String(error) };
}
