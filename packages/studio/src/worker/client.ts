import { ConclaveError } from '@conclave/core/protocol';
import type { Setup } from '../link/setup.js';
import { ownProtocol } from '../model/own.js';
import type { Asked, Told } from './messages.js';
import type { Input, Progress, Result, TaskName } from './tasks.js';

/** What was asked of a worker. */
export interface Question<R> {
  /**
   * Plain data.
   *
   * @throws {Stopped} after {@link stop}.
   * @throws {Incomplete} where the worker came to no result, such as for lack of memory: nothing is
   * known then.
   * @throws {ConclaveError} for a mistake of the user, as the task throws it.
   */
  readonly result: Promise<R>;
  /** Ends the worker. Does nothing after the result. */
  stop(): void;
}

/** The user stopped it. */
export class Stopped extends ConclaveError {
  constructor() {
    super('aborted', 'Stopped; nothing is known');
  }
}

/** The worker came to no result, and that is no mistake of the user. */
export class Incomplete extends ConclaveError {
  constructor(reason: string) {
    super(
      'aborted',
      `Incomplete: the worker ended without a result (${reason}), so nothing is known`,
      'Choose a smaller system or budget.',
    );
  }
}

/** The parts of a worker that are used. */
export interface Port {
  onmessage: ((event: MessageEvent) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
  onmessageerror: ((event: MessageEvent) => void) | null;
  postMessage(asked: Asked): void;
  terminate(): void;
}

/**
 * Asks a worker of its own: a task of `tasks.ts` about the system of a setup. The page stays alive.
 *
 * @example const { result, stop } = ask('check', session.system.setup, {}, ({ states }) =>
 * show(states));
 */
export function ask<T extends TaskName>(
  task: T,
  setup: Setup,
  input: Input<T>,
  onProgress: (progress: Progress<T>) => void = () => {},
  begin: (sources: readonly string[]) => Port = beginWorker,
): Question<Result<T>> {
  const source = ownProtocol(setup.protocol)?.source;
  const worker = begin(source === undefined ? [] : [source]);
  let stop = () => {};
  const result = new Promise<Result<T>>((resolve, reject) => {
    const end = (settle: () => void) => {
      worker.terminate();
      settle();
    };
    stop = () => end(() => reject(new Stopped()));
    worker.onmessage = ({ data }: { readonly data: Told<T> }) => {
      if (data.kind === 'progress') onProgress(data.progress);
      else if (data.kind === 'result') end(() => resolve(data.result));
      else if (data.kind === 'refused')
        end(() => reject(new ConclaveError(data.code, data.what, data.cure)));
      else end(() => reject(new Incomplete(data.reason)));
    };
    worker.onerror = (event) => {
      event.preventDefault();
      end(() => reject(new Incomplete(event.message || 'it crashed')));
    };
    worker.onmessageerror = () => end(() => reject(new Incomplete('its answer cannot be read')));
  });
  worker.postMessage({ task, setup, input });
  return { result, stop };
}

/**
 * A classic worker from the text of the page's own script: on `file://`, no other worker starts.
 */
function beginWorker(sources: readonly string[]): Port {
  const script = document.getElementById('script')?.textContent;
  if (!script)
    throw new ConclaveError('bad-input', 'The page has lost its script', 'Open it again.');
  const url = URL.createObjectURL(
    new Blob([script, ...sources.map((source) => `\n;${source}`)], { type: 'text/javascript' }),
  );
  try {
    return new Worker(url);
  } finally {
    URL.revokeObjectURL(url); // the worker has begun to read it
  }
}
