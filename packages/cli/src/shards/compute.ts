/** A thread that does shards, one after the other, so that its worker can go on speaking. */
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { messageOf, oneLine } from '../errors.js';

/** The built file, even if this one is run from source. */
const file = fileURLToPath(new URL('../../dist/shards/compute-thread.js', import.meta.url));

/** What the thread gets, and what it answers. */
export interface ComputeData {
  readonly interrupts: Int32Array;
}

export interface ComputeRequest {
  readonly argv: readonly string[];
}

export interface ComputeAnswer {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export class Computer {
  readonly #interrupts = new Int32Array(new SharedArrayBuffer(4));
  readonly #thread: Worker;
  #ended: string | undefined;

  constructor() {
    const workerData: ComputeData = { interrupts: this.#interrupts };
    this.#thread = new Worker(file, { workerData });
    this.#thread.on('error', (error) => {
      this.#ended ??= `failed: ${oneLine(messageOf(error))}`;
    });
    this.#thread.on('exit', () => {
      this.#ended ??= 'ended. Does a module call process.exit?';
    });
  }

  /** Whether it can do another shard. */
  get isUsable(): boolean {
    return this.#ended === undefined;
  }

  /** What the command prints, and its exit code; 2 where the thread dies. */
  run(argv: readonly string[]): Promise<ComputeAnswer> {
    Atomics.store(this.#interrupts, 0, 0);
    return new Promise((resolve) => {
      const died = () =>
        resolve({
          exitCode: 2,
          stdout: '',
          stderr: `error: The thread of a shard ${this.#ended}\n`,
        });
      this.#thread.once('exit', died);
      this.#thread.once('message', (answer: ComputeAnswer) => {
        this.#thread.off('exit', died);
        resolve(answer);
      });
      if (this.isUsable) this.#thread.postMessage({ argv } satisfies ComputeRequest);
      else died();
    });
  }

  /** The command that runs ends without a result. */
  interrupt(): void {
    Atomics.store(this.#interrupts, 0, 1);
  }

  async close(): Promise<void> {
    await this.#thread.terminate();
  }
}
