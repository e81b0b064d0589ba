import { ConclaveError } from '@conclave/core/protocol';
import { type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { Setup } from '../link/setup.js';
import { ask, type Question, Stopped } from './client.js';
import type { Input, Progress, Result, TaskName } from './tasks.js';

/** How a question ended. */
export type Outcome<R> =
  | { readonly kind: 'answered'; readonly result: R }
  /** By the user: nothing is known. */
  | { readonly kind: 'stopped' }
  | { readonly kind: 'failed'; readonly error: ConclaveError };

/** A question about one setup as signals, for a view: it can be asked, stopped and asked again. */
export class Asking<T extends TaskName> {
  readonly #progress: Signal<Progress<T> | undefined> = signal(undefined);
  readonly #outcome: Signal<Outcome<Result<T>> | undefined> = signal(undefined);
  readonly #running: Signal<boolean> = signal(false);
  #question: Question<Result<T>> | undefined;

  constructor(
    readonly task: T,
    readonly setup: Setup,
    /** Begins a worker. */
    private readonly begin?: Parameters<typeof ask>[4],
  ) {}

  /** The last that the worker told, which stays after the end. */
  get progress(): ReadonlySignal<Progress<T> | undefined> {
    return this.#progress;
  }

  /** How the last question ended; undefined before and while it runs. */
  get outcome(): ReadonlySignal<Outcome<Result<T>> | undefined> {
    return this.#outcome;
  }

  get running(): ReadonlySignal<boolean> {
    return this.#running;
  }

  /** Asks; a question that still runs is stopped. */
  start(input: Input<T>): void {
    this.stop();
    this.#progress.value = undefined;
    this.#outcome.value = undefined;
    this.#running.value = true;
    const onProgress = (progress: Progress<T>) => {
      this.#progress.value = progress;
    };
    const question = ask(this.task, this.setup, input, onProgress, this.begin);
    this.#question = question;
    const end = (outcome: Outcome<Result<T>>) => {
      if (this.#question !== question) return; // another one was asked since
      this.#question = undefined;
      this.#outcome.value = outcome;
      this.#running.value = false;
    };
    question.result.then(
      (result) => end({ kind: 'answered', result }),
      (error: unknown) =>
        end(
          error instanceof Stopped
            ? { kind: 'stopped' }
            : { kind: 'failed', error: asConclaveError(error) },
        ),
    );
  }

  /** Ends the worker, if one runs. */
  stop(): void {
    this.#question?.stop();
  }
}

const asConclaveError = (error: unknown): ConclaveError =>
  error instanceof ConclaveError
    ? error
    : new ConclaveError('aborted', `The page failed: ${String(error)}`, 'Open it again.');
