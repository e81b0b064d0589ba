import type { Clock } from './wall-clock.js';

interface Entry {
  readonly due: number;
  readonly fire: () => void;
}

/** Whether a handle of the real clock can let the program end before it fires: in Node. */
interface Holding {
  ref(): unknown;
  unref(): unknown;
}
const isHolding = (handle: unknown): handle is Holding =>
  typeof handle === 'object' && handle !== null && 'unref' in handle && 'ref' in handle;

/**
 * The few timers of one owner as one timer of `clock`, which stays armed when the timer it was
 * armed for is cleared: most are, and soon replaced by a later one. None fires early.
 */
export class SharedTimer implements Clock {
  readonly #entries = new Set<Entry>();
  #handle: unknown;
  /** When the timer of the clock fires; not later than any entry is due. */
  #due = Infinity;
  #rests = false;

  constructor(private readonly clock: Clock) {}

  now(): number {
    return this.clock.now();
  }

  setTimeout(fire: () => void, delay: number): unknown {
    if (delay <= 0) return this.clock.setTimeout(fire, delay);
    const entry: Entry = { due: this.clock.now() + delay, fire };
    this.#entries.add(entry);
    if (this.#rests) this.#hold();
    if (entry.due < this.#due) this.#arm(entry.due, delay);
    return entry;
  }

  clearTimeout(handle: unknown): void {
    // its own, or one of the clock
    if (!this.#entries.delete(handle as Entry)) return this.clock.clearTimeout(handle);
    if (this.#entries.size === 0) this.#rest();
  }

  #arm(due: number, delay: number): void {
    if (this.#handle !== undefined) this.clock.clearTimeout(this.#handle);
    this.#due = due;
    this.#handle = this.clock.setTimeout(() => this.#fired(), Math.ceil(delay));
  }

  #fired(): void {
    this.#handle = undefined;
    this.#due = Infinity;
    const now = this.clock.now(); // the clock of timers may be early
    const late = [...this.#entries].filter(({ due }) => due <= now);
    try {
      // an earlier one may have cleared it
      for (const entry of late.sort((one, other) => one.due - other.due))
        if (this.#entries.delete(entry)) entry.fire();
    } finally {
      this.#armNext();
    }
  }

  #armNext(): void {
    let next = Infinity;
    for (const { due } of this.#entries) if (due < next) next = due;
    if (next < this.#due) this.#arm(next, next - this.clock.now());
  }

  /** Nothing is due: the program may end. */
  #rest(): void {
    if (isHolding(this.#handle)) {
      this.#rests = true;
      this.#handle.unref();
    } else if (this.#handle !== undefined) {
      this.clock.clearTimeout(this.#handle);
      this.#handle = undefined;
      this.#due = Infinity;
    }
  }

  #hold(): void {
    this.#rests = false;
    if (isHolding(this.#handle)) this.#handle.ref();
  }
}
