import { ConclaveError } from '@conclave/core/protocol';
import { systemOf } from '../model/system.js';
import type { Asked, Told } from './messages.js';
import { tasks } from './tasks.js';

/** The parts of a worker's global scope that are used. */
interface Scope {
  onmessage: ((event: MessageEvent<Asked>) => void) | null;
  postMessage(told: Told): void;
}

/** What the worker does: answers one question, then the page ends it. */
export function work(scope: Scope = self): void {
  scope.onmessage = ({ data }) => {
    answer(data, (told) => scope.postMessage(told)).catch((error: unknown) =>
      scope.postMessage(failure(error)),
    );
  };
}

async function answer({ task, setup, input }: Asked, tell: (told: Told) => void): Promise<void> {
  const system = await systemOf(setup);
  const result = await tasks[task](system, input, (progress) =>
    tell({ kind: 'progress', progress }),
  );
  tell({ kind: 'result', result });
}

function failure(error: unknown): Told {
  if (error instanceof ConclaveError)
    return { kind: 'refused', code: error.code, what: error.what, cure: error.cure };
  const reason = error instanceof Error ? error.message : String(error);
  return { kind: 'failed', reason };
}
