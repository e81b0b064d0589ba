/** A barrier for all threads of a search. */
export class Barrier {
  /** The words of `shared`: how many threads have arrived, how often all have, whether one has failed. */
  constructor(
    private readonly shared: Int32Array,
    private readonly threads: number,
  ) {}

  static readonly words = 3;

  /** Waits until every thread has called it. False if a thread has failed: then no thread waits. */
  wait(): boolean {
    const { shared } = this;
    const round = Atomics.load(shared, 1);
    if (Atomics.add(shared, 0, 1) === this.threads - 1) {
      Atomics.store(shared, 0, 0);
      Atomics.add(shared, 1, 1);
      Atomics.notify(shared, 1);
    } else {
      for (let spins = 0; spins < 1000 && Atomics.load(shared, 1) === round; spins++);
      while (Atomics.load(shared, 1) === round && Atomics.load(shared, 2) === 0) Atomics.wait(shared, 1, round, 100);
    }
    return Atomics.load(shared, 2) === 0;
  }

  fail(): void {
    Atomics.store(this.shared, 2, 1);
    Atomics.notify(this.shared, 1);
  }
}
