import { totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { getHeapStatistics } from 'node:v8';
import { Worker } from 'node:worker_threads';
import type { SeedOutcome, SeedsOptions } from '@conclave/core/internal/simulation';
import { ConclaveError } from '@conclave/core/protocol';
import { badInput, messageOf, oneLine } from '../errors.js';
import type { SimulateOptions } from './options.js';
import { Share } from './share.js';
import type { WorkerData, WorkerMessage } from './worker.js';

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
