/**
 * The runs of many seeds in several threads. Each takes the next seed from memory that all share,
 * since the runs differ in length.
 */

import { totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { getHeapStatistics } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { ConclaveError } from '@conclave/core/protocol';
import { badInput, messageOf, oneLine } from '../errors.js';
import type { SeedOutcome, SeedsOptions } from './seeds.js';
import type { SimulateOptions } from './system.js';

/** The built file, even if this one is run from source: `src` and `dist` are neighbours. */
const file = fileURLToPath(new URL('../../dist/simulating/worker.js', import.meta.url));

/** How often the main thread looks whether the user has interrupted, in milliseconds. */
const pollMs = 50;

interface Run {
  readonly seeds: SeedsOptions['seeds'];
  readonly threads: number;
  readonly interrupted: () => boolean;
  /** The command that repeats the run of a seed. */
  readonly command: (seed: number) => string;
  readonly onRun: (outcome: SeedOutcome) => void;
}

/**
 * Simulates each seed in one of several threads. The outcomes do not depend on their number: with
 * `failFast`, they are those of all seeds up to the smallest that violates a property.
 *
 * @throws {ConclaveError} `bad-input` where a thread dies; and what a simulation throws.
 */
export async function simulateInThreads(
  protocol: string,
  options: SimulateOptions,
  run: Run,
): Promise<readonly SeedOutcome[]> {
  const { seeds, interrupted, command, onRun } = run;
  const count = seeds.to - seeds.from + 1;
  const threads = Math.min(run.threads, count);
  const share = Share.fresh(count, threads);
  const outcomes: SeedOutcome[] = [];
  const workers = Array.from({ length: threads }, (_, thread) => {
    const workerData: WorkerData = {
      protocol,
      options,
      firstSeed: seeds.from,
      memory: share.memory,
      thread,
    };
    return new Worker(file, {
      workerData,
      resourceLimits: { maxOldGenerationSizeMb: heapFor(threads) },
    });
  });
  const poll = setInterval(() => interrupted() && share.end(-1), pollMs);
  try {
    await Promise.all(
      workers.map((worker, thread) =>
        finished(
          worker,
          (outcome) => {
            outcomes.push(outcome);
            onRun(outcome);
          },
          () => seeds.from + share.now(thread),
          { threads, command },
        ),
      ),
    );
  } finally {
    clearInterval(poll);
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
  const last = options.failFast
    ? Math.min(...outcomes.flatMap(({ seed, violated }) => (violated === undefined ? [] : seed)))
    : Infinity;
  return outcomes.filter(({ seed }) => seed <= last);
}

/**
 * The heap of each of these threads in MB: of them all, at most three quarters of the memory of
 * this machine or container.
 */
function heapFor(threads: number): number {
  const machine = Math.min(totalmem(), process.constrainedMemory() || Infinity);
  return Math.floor(
    Math.min(getHeapStatistics().heap_size_limit, (0.75 * machine) / threads) / 2 ** 20,
  );
}

/** Resolves when the worker is done. Rejects where it fails, or ends without saying so. */
function finished(
  worker: Worker,
  onRun: (outcome: SeedOutcome) => void,
  seed: () => number,
  { threads, command }: { readonly threads: number; readonly command: (seed: number) => string },
): Promise<void> {
  const died = (why: string, cure: string, cause?: unknown) =>
    badInput(
      `A thread ${why} while it simulated seed ${seed()}`,
      `${cure}Again: ${command(seed())}`,
      cause,
    );
  return new Promise((resolve, reject) => {
    worker.on('message', (message: WorkerMessage) => {
      if ('outcome' in message) onRun(message.outcome);
      else if ('done' in message) resolve();
      else reject(new ConclaveError(message.error.code, message.error.what, message.error.cure));
    });
    worker.on('error', (error) => {
      const outOfMemory = 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      const fewer = threads > 1 ? `Give fewer --workers than ${threads}, or simulate` : 'Simulate';
      if (outOfMemory) reject(died('ran out of memory', `${fewer} fewer nodes. `, error));
      else reject(died(`failed (${oneLine(messageOf(error))})`, '', error));
    });
    worker.on('exit', () => reject(died('ended', 'Does a module call process.exit? ')));
  });
}

/** What starts a worker. */
export interface WorkerData {
  readonly protocol: string;
  readonly options: SimulateOptions;
  readonly firstSeed: number;
  readonly memory: SharedArrayBuffer;
  readonly thread: number;
}

/** What a worker posts; at its end, that it is done, or its error. */
export type WorkerMessage =
  | { readonly outcome: SeedOutcome }
  | { readonly done: true }
  | {
      readonly error: {
        readonly code: ConclaveError['code'];
        readonly what: string;
        readonly cure: string;
      };
    };

// The memory that the threads of `simulate --seeds` share: which seed is next, which is the last,
// and what each thread simulates now.

/** Seeds by their place in the range, from 0. */
export class Share {
  static readonly #next = 0;
  static readonly #last = 1;
  static readonly #now = 2;
  readonly #words: Int32Array;

  /** @param memory As another thread has it, or fresh: see {@link Share.fresh}. */
  constructor(readonly memory: SharedArrayBuffer) {
    this.#words = new Int32Array(memory);
  }

  /** For `seeds` seeds and so many threads. */
  static fresh(seeds: number, threads: number): Share {
    const share = new Share(new SharedArrayBuffer(4 * (Share.#now + threads)));
    Atomics.store(share.#words, Share.#last, seeds - 1);
    return share;
  }

  /** The next place for this thread, in ascending order; undefined where none is left. */
  take(thread: number): number | undefined {
    const place = Atomics.add(this.#words, Share.#next, 1);
    Atomics.store(this.#words, Share.#now + thread, place);
    return this.wants(place) ? place : undefined;
  }

  /** Whether the run at this place is still needed. */
  wants(place: number): boolean {
    return place <= Atomics.load(this.#words, Share.#last);
  }

  /** The place that this thread took last. */
  now(thread: number): number {
    return Atomics.load(this.#words, Share.#now + thread);
  }

  /** No run after this place is needed; with -1, none at all. */
  end(place: number): void {
    for (let last = Atomics.load(this.#words, Share.#last); place < last; ) {
      const found = Atomics.compareExchange(this.#words, Share.#last, last, place);
      if (found === last) return;
      last = found;
    }
  }
}
