import type { Timer } from '../protocol/step.js';
import type { VirtualClock } from './clock.js';

interface Armed {
  readonly timer: Timer;
  /** The clock's handle. */
  readonly handle: unknown;
}

const none: readonly Armed[] = [];

/** The armed timers of all nodes; a node without one takes no memory. */
export class ColumnTimers {
  readonly #armed = new Map<number, readonly Armed[]>();

  constructor(
    private readonly clock: VirtualClock,
    /** How many milliseconds a timer of `delay` takes on the clock of a node. */
    private readonly durationOf: (node: number, delay: number) => number,
    private readonly expired: (node: number, timer: Timer) => void,
  ) {}

  /** The armed timers of `node`, in the order they were armed. */
  of(node: number): readonly Timer[] {
    return this.#of(node).map(({ timer }) => timer);
  }

  /** Arms a timer; false where it is armed already. */
  start(node: number, timer: Timer): boolean {
    const armed = this.#of(node);
    if (armed.some((other) => other.timer.id === timer.id)) return false;
    const fire = () => {
      this.#remove(node, timer.id);
      this.expired(node, timer);
    };
    this.#armed.set(node, [
      ...armed,
      { timer, handle: this.clock.setTimer(fire, this.durationOf(node, timer.delay)) },
    ]);
    return true;
  }

  /** Whether the timer was armed. */
  cancel(node: number, timer: string): boolean {
    const found = this.#of(node).find((armed) => armed.timer.id === timer);
    if (!found) return false;
    this.clock.clearTimeout(found.handle);
    this.#remove(node, timer);
    return true;
  }

  /** Cancels all timers of `node`; returns their ids. */
  cancelAll(node: number): readonly string[] {
    const armed = this.#of(node);
    for (const { handle } of armed) this.clock.clearTimeout(handle);
    this.#armed.delete(node);
    return armed.map(({ timer }) => timer.id);
  }

  /** Cancels all timers. */
  stop(): void {
    for (const node of [...this.#armed.keys()]) this.cancelAll(node);
  }

  #of(node: number): readonly Armed[] {
    return this.#armed.get(node) ?? none;
  }

  #remove(node: number, timer: string): void {
    const left = this.#of(node).filter((armed) => armed.timer.id !== timer);
    if (left.length === 0) this.#armed.delete(node);
    else this.#armed.set(node, left);
  }
}
