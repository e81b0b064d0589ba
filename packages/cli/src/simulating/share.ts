/**
 * The memory that the threads of `simulate --seeds` share: which seed is next, which is the last,
 * and what each thread simulates now.
 */

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
