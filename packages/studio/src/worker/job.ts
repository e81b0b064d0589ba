import { ConclaveError } from '@conclave/core/protocol';
import { batch, type Signal, signal } from '@preact/signals';
import { badInput } from '../base/input.js';
import type { Setup } from '../link/link.js';
import { ownProtocol } from '../model/own.js';
import type { Language } from '../texts/languages.js';
import { language, say, spokenTable } from '../texts/say.js';
import type { Hold, Input, JobReply, JobRequest, Progress, Result, TaskName } from './tasks.js';

export type Outcome<R> =
  | { readonly kind: 'answered'; readonly result: R }
  /** By the user: what is known is the last progress. */
  | { readonly kind: 'stopped' }
  /** By a mistake of the user; or without a result, such as for lack of memory. */
  | { readonly kind: 'failed'; readonly error: ConclaveError };

/** The parts of a worker that are used. */
export interface Port {
  onmessage: ((event: MessageEvent) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
  onmessageerror: ((event: MessageEvent) => void) | null;
  postMessage(request: JobRequest | Hold): void;
  terminate(): void;
}

/** In milliseconds: a worker that does not wait by then never hears of it. */
const patience = 10_000;

/**
 * A task of `tasks.ts` about the system of one setup, in a worker of its own: the page stays alive.
 * It can be started, stopped and started again; a view reads its signals.
 */
export class Job<T extends TaskName> {
  /** The last that the worker told, which stays after the end. */
  readonly progress: Signal<Progress<T> | undefined> = signal(undefined);
  /** How it ended last; undefined before and while it runs. */
  readonly outcome: Signal<Outcome<Result<T>> | undefined> = signal(undefined);
  readonly running = signal(false);
  /** Whether it was stopped by {@link pause} and can go on. */
  readonly paused = signal(false);
  /** In which the last was told to speak. */
  lang: Language | undefined;
  /** Ends the worker; does nothing where none runs. */
  stop: () => void = () => {};
  /** Stops the work, and keeps the worker, if it comes to listen soon: then it can go on. */
  pause: () => void = () => {};
  goOn: () => void = () => {};

  constructor(
    readonly task: T,
    readonly setup: Setup,
    private readonly openPort: (modules: readonly string[]) => Port = startWorker,
  ) {}

  start(input: Input<T>): void {
    const { task, setup, progress, outcome, running, paused } = this;
    this.stop();
    this.lang = language();
    const source = ownProtocol(setup.protocol)?.source;
    const worker = this.openPort(source === undefined ? [] : [source]);
    batch(() => {
      progress.value = undefined;
      outcome.value = undefined;
      running.value = true;
    });
    let isOver = false;
    const end = (result: Outcome<Result<T>>) => {
      if (isOver) return;
      isOver = true;
      worker.terminate();
      batch(() => {
        outcome.value = result;
        running.value = false;
        paused.value = false;
      });
    };
    const fail = (error: ConclaveError) => end({ kind: 'failed', error });
    this.stop = () => end({ kind: 'stopped' });
    let timer: ReturnType<typeof setTimeout> | undefined;
    const hold = (isHeld: boolean) => {
      if (isOver) return;
      clearTimeout(timer);
      worker.postMessage(isHeld ? 'pause' : 'go on');
      batch(() => {
        running.value = !isHeld;
        paused.value = false;
        outcome.value = isHeld ? { kind: 'stopped' } : undefined;
      });
      const give = () => paused.peek() || end({ kind: 'stopped' });
      if (isHeld) timer = setTimeout(give, patience);
    };
    this.pause = () => hold(true);
    this.goOn = () => hold(false);
    worker.onmessage = ({ data }: { readonly data: JobReply<T> }) => {
      if (data.kind === 'progress') progress.value = data.progress;
      else if (data.kind === 'paused') paused.value = !running.peek();
      else if (data.kind === 'result') end({ kind: 'answered', result: data.result });
      else if (data.kind === 'refused') fail(refusal(data));
      else fail(incomplete(data.reason));
    };
    worker.onerror = (event) => {
      event.preventDefault();
      fail(incomplete(event.message || say('it crashed')));
    };
    worker.onmessageerror = () => fail(incomplete(say('its answer cannot be read')));
    worker.postMessage({ task, setup, input, texts: spokenTable() });
  }
}

/** Texts, whatever ran in the worker. */
const refusal = ({ code, what, cure }: Extract<JobReply, { kind: 'refused' }>): ConclaveError =>
  new ConclaveError(code, String(what), String(cure));

/** The worker came to no result, and that is no mistake of the user. */
const incomplete = (reason: string): ConclaveError =>
  new ConclaveError(
    'aborted',
    say('Incomplete: the worker ended without a result ({reason}), so nothing is known', {
      reason,
    }),
    say('Choose a smaller system or budget.'),
    { cause: reason },
  );

/** A worker from the page's own script and bundled modules: on `file://` no other starts. */
export function startWorker(modules: readonly string[]): Port {
  const script = document.getElementById('script')?.textContent;
  if (!script) throw badInput(say('The page has lost its script'), say('Open it again.'));
  const texts = [script, ...modules.map((source) => `\n;${source}`)];
  const url = URL.createObjectURL(new Blob(texts, { type: 'text/javascript' }));
  try {
    return new Worker(url);
  } finally {
    URL.revokeObjectURL(url); // the worker has begun to read it
  }
}
