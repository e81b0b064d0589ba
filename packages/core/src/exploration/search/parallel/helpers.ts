import type { MessagePort, Worker } from 'node:worker_threads';
import { badInput, type ConclaveError } from '../../../protocol/error.js';
import type { Layout } from '../../compiled/expander.js';
import type { Report } from './share.js';
import { type Plan, started } from './thread.js';
import type { Lesson, WorkerData } from './worker.js';

/** How long the workers may take to start, in milliseconds. */
const startTimeout = 30_000;

/** The other threads of a search, as the first thread sees them. */
export class Helpers {
  readonly #threads = process.getBuiltinModule('node:worker_threads');
  readonly #ports: readonly MessagePort[];
  readonly #workers: Worker[] = [];

  constructor(plan: Plan, layout: Layout) {
    // The package's own name resolves to the built file, even if this one is loaded from source.
    const { createRequire } = process.getBuiltinModule('node:module');
    const file = createRequire(import.meta.url).resolve('@conclave/core/exploration/worker');
    this.#ports = plan.status.slice(1).map((_, index) => {
      const { port1, port2 } = new this.#threads.MessageChannel();
      const workerData: WorkerData = { plan, thread: index + 1, layout, port: port2 };
      const worker = new this.#threads.Worker(file, { workerData, transferList: [port2] });
      worker.unref();
      port1.unref();
      this.#workers.push(worker);
      return port1;
    });
    const deadline = performance.now() + startTimeout;
    for (let running = 0; running < this.#ports.length; running = Atomics.load(plan.control, started)) {
      if (performance.now() > deadline) throw this.#failure(`did not start within ${startTimeout / 1000} s`);
      Atomics.wait(plan.control, started, running, 100);
    }
  }

  teach(lesson: Lesson): void {
    for (const port of this.#ports) port.postMessage(lesson);
  }

  /** The reports of the other threads since the last call, in their order. */
  reports(): readonly Report[] {
    return this.#ports.map((port) => {
      const told = this.#threads.receiveMessageOnPort(port)?.message as Report | { readonly failure: string } | undefined; // a worker sends nothing else
      if (!told || 'failure' in told) throw this.#failure(told?.failure ?? 'sent no report');
      return told;
    });
  }

  end(): void {
    for (const port of this.#ports) port.close();
  }

  #failure(why: string): ConclaveError {
    for (const worker of this.#workers) void worker.terminate();
    return badInput(`A worker of the search failed: it ${why}`, 'Try again with one worker.');
  }
}
