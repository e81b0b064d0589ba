import { heapRoom, memoryInUse, mostMemory } from '../../host/memory.js';
import type { Limit, Limits } from './limits.js';

/** Thrown out of whatever is going on when a limit is reached; whoever set it going catches it and says so. */
export class LimitReached {
  constructor(readonly limit: Limit) {}
}

/** After so many ticks the clock is looked at; to do it each time would cost more than a step. */
const lookEvery = 256;
/** So many milliseconds lie between two looks at the memory of the process, which take some microseconds. */
const memoryEvery = 20;

/** Sees to it that an exploration keeps to its limits of time and memory, whatever it is just doing. */
export class Watch {
  /** What is known to be taken, in bytes, besides what the process tells: memory of other threads, or all where no process can tell. */
  counted: () => number = () => 0;
  readonly #start = performance.now();
  readonly #before = memoryInUse();
  readonly #seconds: number;
  /** Bytes. */
  readonly #memory: number;
  readonly #stop: (() => boolean) | undefined;
  #ticks = 0;
  #isOver = false;
  #lookedAt = -Infinity;

  constructor({ seconds = Infinity, memory, stop }: Limits = {}) {
    this.#stop = stop;
    this.#seconds = seconds;
    this.#memory = memory === undefined ? mostMemory() : memory * 2 ** 20;
  }

  /** Seconds since it was made. */
  get elapsed(): number {
    return (performance.now() - this.#start) / 1000;
  }

  /** To be called again and again; `weight`: how long it has been since the last time, in steps that were looked up. @throws {LimitReached} */
  tick(weight = 1): void {
    this.#ticks += weight;
    if (this.#ticks < lookEvery) return;
    this.#ticks = 0;
    this.look();
  }

  /** @throws {LimitReached} */
  look(): void {
    if (this.#isOver) return;
    const limit = this.reached();
    if (limit) throw new LimitReached(limit);
  }

  /** The limit that is reached, if any. */
  reached(): Limit | undefined {
    if (this.counted() > this.#memory) return 'memory';
    const now = performance.now();
    if ((now - this.#start) / 1000 > this.#seconds) return 'seconds';
    if (this.#stop?.()) return 'interrupted';
    if (now < this.#lookedAt + memoryEvery) return undefined;
    this.#lookedAt = now;
    return this.#taken() > this.#memory || heapRoom() < 0 ? 'memory' : undefined;
  }

  /** No limit holds any more: what was found is yet to be told. */
  end(): void {
    this.#isOver = true;
  }

  /** Before so many bytes are taken at once. @throws {LimitReached} */
  require(bytes: number): void {
    if (Math.max(this.counted(), this.#taken()) + bytes > this.#memory) throw new LimitReached('memory');
  }

  /** How many bytes may be taken from the start. */
  get allowedMemory(): number {
    return this.#memory;
  }

  #taken(): number {
    return memoryInUse() - this.#before;
  }
}
