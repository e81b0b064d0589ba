import { mostThreads } from './format/search.js';
import type { KernelMemory } from './kernel-memory.js';
import { kernelModule, workers } from './web-assembly.js';

/** What another thread runs: the kernel, without any way to call JavaScript. */
const program = `
const { workerData: { module, memory, number, search } } = require('node:worker_threads');
const never = () => { throw new Error('unreachable: only the first thread calls this'); };
const host = { lost: never, lookup: never, found: never, ended: never, fault: never,
  takeEdges: never, addElsewhere: never, readElsewhere: never, full: never };
const { exports: calls } = new WebAssembly.Instance(module, { host, env: { memory } });
try {
  calls.serve(number, search);
} catch (error) {
  calls.broken();
  throw error;
}
`;

/** How threads search together. */
export interface Team {
  /** How many they are, with the first one. */
  readonly threads: number;
  /** From how many worlds on: the others take some milliseconds to start. */
  readonly from?: number;
  /** The least worlds of a layer that they divide. */
  readonly least?: number;
  /** Whether the first one waits for the others to start. */
  readonly waits?: boolean;
}

/** The threads that help one search. */
export class Threads {
  readonly #team: Required<Team>;
  readonly #count: number;
  #areStarted = false;

  constructor(
    private readonly memory: KernelMemory,
    team: Team,
    private readonly keepsEdges: boolean,
  ) {
    this.#team = { from: 65_536, least: 512, waits: false, ...team };
    this.#count = Math.min(team.threads, mostThreads);
  }

  /**
   * Starts the others, if there are enough worlds: they join as soon as they can. `mostBytes`: what
   * one memory may take.
   */
  start(worlds: number, mostBytes: number): void {
    const { from, least, waits } = this.#team;
    const threads = this.#count;
    if (this.#areStarted || worlds < from || threads < 2 || !workers) return;
    const { calls, memory } = this.memory;
    this.#areStarted = true;
    if (!calls.beginTeam(threads, mostBytes, least, this.keepsEdges)) return;
    for (let number = 1; number < threads; number++) {
      const workerData = { module: kernelModule(), memory, number, search: calls.search() };
      const worker = new workers.Worker(program, { eval: true, workerData });
      worker.on('error', () => {}); // `broken` has told it
      worker.unref();
    }
    if (waits) calls.awaitHelp(threads - 1);
  }

  end(): void {
    if (this.#areStarted) this.memory.calls.dismiss();
  }
}
