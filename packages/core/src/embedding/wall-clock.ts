/**
 * Timers in real time: of the host, shared by the waits of a node, and punctual ones; and what a
 * node says while it waits for others.
 */
import { ConclaveError } from '../base/error.js';
import type { NodeId } from '../protocol/node.js';
import type { TimerClock } from '../protocol/node-timers.js';

/** A clock that also tells the time, in milliseconds since any moment. */
export interface Clock {
  now(): number;
  /** `timer` is the id of the timer within its node, for clocks that fire timers by id. */
  setTimeout(fire: () => void, delay: number, timer?: string): unknown;
  clearTimeout(handle: unknown): void;
  /** Runs `run` after what has arrived together with the present event. Without it: at once. */
  readonly soon?: (run: () => void) => void;
}

/** A timer of 0 ms: it ends when the event loop has turned. `setTimeout` makes 1 ms of it. */
class Turn {
  constructor(readonly immediate: ReturnType<typeof setImmediate>) {}
}

/** The real time, in milliseconds. */
export const wallClock: Clock = {
  now: () => performance.now(),
  setTimeout: (fire, delay) =>
    delay <= 0 && typeof setImmediate === 'function'
      ? new Turn(setImmediate(fire))
      : globalThis.setTimeout(fire, delay),
  clearTimeout: (handle) =>
    handle instanceof Turn
      ? clearImmediate(handle.immediate)
      : // it made the handle
        globalThis.clearTimeout(handle as ReturnType<typeof globalThis.setTimeout>),
  // in Node after what the promises of this turn do, which may send
  soon: typeof setImmediate === 'function' ? (run) => void setImmediate(run) : queueMicrotask,
};

// What a node says while others do not admit it: those that do not list it never will.

const longestPause = 3_600_000;

interface Wait {
  readonly self: NodeId;
  /** Those that have not admitted it. */
  readonly awaited: () => readonly NodeId[];
  readonly isUnreachable?: (id: NodeId) => boolean;
  readonly report: (error: ConclaveError) => void;
  /** As `reportWaitAfter` of `embed`. */
  readonly after: number | undefined;
  readonly clock?: TimerClock | undefined;
}

/**
 * Reports for whom a node waits after some seconds, and again after pauses that grow.
 *
 * @returns what ends it
 */
export function reportWait({
  self,
  awaited,
  isUnreachable = () => false,
  report,
  after = 5000,
  clock = wallClock,
}: Wait): () => void {
  let timer: unknown;
  const pause = (ms: number, before: number) => {
    const late = () => {
      const names = awaited();
      if (names.length > 0)
        report(notAdmitted(self, before + ms, names, names.filter(isUnreachable)));
      pause(Math.min(2 * ms, longestPause), before + ms);
    };
    timer = clock.setTimeout(late, ms, 'wait');
  };
  pause(Math.max(1, after), 0);
  return () => clock.clearTimeout(timer);
}

function notAdmitted(
  self: NodeId,
  ms: number,
  awaited: readonly NodeId[],
  unreachable: readonly NodeId[],
): ConclaveError {
  const reach = unreachable.length > 0 ? `; it cannot reach ${unreachable.join(', ')} now` : '';
  return new ConclaveError(
    'timed-out',
    `Node ${self} is not admitted after ${ms} ms: it waits for ${awaited.join(', ')}${reach}`,
    `Check that they are up, that they list ${self}, and that all have the same network.`,
  );
}

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
