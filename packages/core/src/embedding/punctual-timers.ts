import type { TimerClock } from '../protocol/node-timers.js';

interface Armed {
  readonly timer: string | undefined;
  /** Infinity for a timer of 0 ms: it waits for a turn of the event loop, however long that takes. */
  readonly due: number;
  readonly fire: () => void;
  handle: unknown;
}

/**
 * Timers of `clock`, of which those that are late can be fired at once. After a pause of the
 * process, the event loop may deliver messages before it fires timers; a node that acted on such a
 * message would still count on a lease that has expired.
 */
export class PunctualTimers implements TimerClock {
  /** In the order they were armed. */
  readonly #armed = new Map<unknown, Armed>();
  readonly #now: (() => number) | undefined;
  /** None of them is due before. */
  #earliest = Infinity;

  /**
   * @param clock one that does not tell the time fires its timers by itself only;
   * @param run runs each timer that fires
   */
  constructor(
    private readonly clock: TimerClock & { now?(): number },
    private readonly run: (fire: () => void) => void,
  ) {
    this.#now = typeof clock.now === 'function' ? () => Number(clock.now?.()) : undefined;
  }

  setTimeout(fire: () => void, delay: number, timer?: string): Armed {
    const armed: Armed = {
      timer,
      due: delay > 0 ? (this.#now?.() ?? 0) + delay : Infinity,
      fire,
      handle: undefined,
    };
    if (armed.due < this.#earliest) this.#earliest = armed.due;
    this.#armed.set(armed, armed);
    armed.handle = this.clock.setTimeout(() => this.#fire(armed), delay, timer);
    return armed;
  }

  clearTimeout(handle: unknown): void {
    const armed = this.#armed.get(handle);
    if (armed && this.#armed.delete(handle)) this.clock.clearTimeout(armed.handle);
  }

  get hasTimers(): boolean {
    return this.#armed.size > 0;
  }

  /** Fires those whose time has passed, the earliest first. */
  fireLate(): void {
    if (!this.#now || this.#armed.size === 0) return;
    const now = this.#now();
    if (now <= this.#earliest) return;
    this.#earliest = Infinity;
    for (const { due } of this.#armed.values())
      if (due >= now && due < this.#earliest) this.#earliest = due;
    const late = [...this.#armed.values()]
      .filter(({ due }) => due < now)
      .sort((one, other) => one.due - other.due);
    for (const armed of late) {
      if (!this.#armed.has(armed)) continue; // an earlier one has cancelled it
      this.clock.clearTimeout(armed.handle);
      this.#fire(armed);
    }
  }

  /**
   * By timer: the milliseconds until it is due; less than 0 where it is late. Empty for a clock
   * that does not tell the time; without timers of 0 ms.
   */
  get left(): ReadonlyMap<string, number> {
    const now = this.#now?.();
    if (now === undefined) return new Map();
    return new Map(
      [...this.#armed.values()].flatMap(({ timer, due }) =>
        timer === undefined || due === Infinity ? [] : [[timer, due - now] as const],
      ),
    );
  }

  #fire(armed: Armed): void {
    if (this.#armed.delete(armed)) this.run(armed.fire);
  }
}
