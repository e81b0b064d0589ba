/**
 * The limits of a search, and the watch that looks at clock and memory often enough, and seldom
 * enough, to end it in time.
 */
import { freeHeap } from '@conclave/core/internal';
import { knowsMemory, memoryInUse, mostMemory } from './memory.js';

/** Where a search stops; it is incomplete then. */
export interface Limits {
  readonly states?: number;
  /**
   * Megabytes that the exploration may take, including objects and garbage, from the call to the
   * last verdict. Default: three quarters of the memory of this machine or container. A heap that
   * is nearly full ends the search in any case.
   */
  readonly memory?: number;
  /** From the call to the last verdict. */
  readonly seconds?: number;
  readonly depth?: number;
  /** Called from time to time; true ends the search. */
  readonly stop?: () => boolean;
}

/** What ended a search: a limit, or `interrupted` for {@link Limits.stop}. */
export type Limit = Exclude<keyof Limits, 'stop'> | 'interrupted';

/**
 * Thrown when a limit is reached; the caller of the exploration's parts catches it and reports it.
 */
export class LimitReached {
  constructor(readonly limit: Limit) {}
}

/** The clock is read after so many ticks: reading it costs more than a step. */
const lookEvery = 256;
/** The memory of the process is read after so many milliseconds: that takes some microseconds. */
const memoryEvery = 20;

/**
 * The objects of a distinct local step (its state, its outcome, their texts) in bytes: 1,100 to
 * 4,000 measured over the catalogue. It counts only where the memory of the process is unknown, as
 * in a browser, which ends a page whose heap is full.
 */
const bytesAStep = 4000;

/** Enforces the limits of time and memory in all parts of an exploration. */
export class Watch {
  /**
   * The bytes known to be in use: a lower bound where the memory of the process is unknown, or does
   * not include other threads.
   */
  counted: () => number = () => 0;
  /**
   * Of {@link counted}, the bytes that the memory of the process, as {@link memoryInUse} knows it,
   * does not include.
   */
  outside: () => number = () => 0;
  /** How many distinct local steps are kept. */
  steps: () => number = () => 0;
  #start = performance.now();
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

  /** Seconds since the start. */
  get elapsed(): number {
    return (performance.now() - this.#start) / 1000;
  }

  /**
   * To be called often; `weight`: the time since the last call, in table look-ups.
   * @throws {LimitReached}
   */
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
    if (this.counted() + this.#estimated() > this.#memory) return 'memory';
    const now = performance.now();
    if ((now - this.#start) / 1000 > this.#seconds) return 'seconds';
    if (this.#stop?.()) return 'interrupted';
    if (now < this.#lookedAt + memoryEvery) return undefined;
    this.#lookedAt = now;
    return this.#taken() > this.#memory || freeHeap() < 0 ? 'memory' : undefined;
  }

  /** Time that passes while resumable work is held does not count. */
  skip(milliseconds: number): void {
    this.#start += milliseconds;
  }

  /** Disables the limits, to report what was found. */
  end(): void {
    this.#isOver = true;
  }

  /** To be called before an allocation of so many bytes. @throws {LimitReached} */
  require(bytes: number): void {
    if (Math.max(this.counted(), this.#taken()) + bytes > this.#memory)
      throw new LimitReached('memory');
  }

  /** How many bytes the exploration may take. */
  get allowedMemory(): number {
    return this.#memory;
  }

  #estimated(): number {
    return knowsMemory ? 0 : this.steps() * bytesAStep;
  }

  #taken(): number {
    return memoryInUse() - this.#before + this.outside();
  }
}
