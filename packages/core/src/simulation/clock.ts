import { type SchedulerAction, type SchedulerLike, Subscription } from 'rxjs';
import type { ChannelClock, Receiver } from '../channel/channel.js';
import { ConclaveError } from '../protocol/error.js';
import type { TimerClock } from '../protocol/node-timers.js';

/** A call to come that may be cancelled. */
class Task {
  constructor(public run: (() => void) | undefined) {}
}

const tasks: Receiver<Task> = { arrive: (task) => task.run?.() };

/**
 * Virtual time in milliseconds: one heap that serves channels, XState (`clock`) and RxJS (`SchedulerLike`).
 * What is due at one time runs in the order it was scheduled, so a run depends on nothing but its inputs.
 *
 * A 4-ary heap over typed arrays: the keys that a sift compares lie side by side.
 */
export class VirtualClock implements ChannelClock, TimerClock, SchedulerLike {
  #now = 0;
  #size = 0;
  #sequence = 0;
  #cancelled = 0;
  #times = new Float64Array(64);
  #sequences = new Float64Array(64);
  #slots = new Int32Array(64);
  readonly #receivers: (Receiver<never> | undefined)[] = [];
  readonly #items: unknown[] = [];
  readonly #freeSlots: number[] = [];

  now(): number {
    return this.#now;
  }

  /** How many calls are still to come. */
  get pending(): number {
    return this.#size - this.#cancelled;
  }

  deliverAt<T>(time: number, receiver: Receiver<T>, item: T): void {
    if (!(time >= this.#now))
      throw new ConclaveError('bad-input', `The clock stands at ${this.#now} ms; it cannot call back at ${time} ms`);
    if (this.#size === this.#times.length) this.#grow();
    const slot = this.#freeSlots.pop() ?? this.#receivers.length;
    this.#receivers[slot] = receiver as Receiver<never>; // paired with its item, of the same T
    this.#items[slot] = item;
    this.#siftUp(this.#size++, time, this.#sequence++, slot);
  }

  setTimeout(fire: () => void, delay: number): unknown {
    const task = new Task(fire);
    this.deliverAt(this.#now + Math.max(0, delay), tasks, task);
    return task;
  }

  clearTimeout(handle: unknown): void {
    if (!(handle instanceof Task) || !handle.run) return;
    handle.run = undefined;
    this.#cancelled++;
  }

  schedule<S>(work: (this: SchedulerAction<S>, state?: S) => void, delay = 0, state?: S): Subscription {
    return new VirtualAction(this, work).schedule(state, delay);
  }

  /** Advances to the next call and makes it. False when there is none, or none up to `until` (then the clock stands at `until`). */
  step(until = Infinity): boolean {
    while (this.#size > 0) {
      const time = this.#times[0] as number;
      if (time > until) break;
      const slot = this.#slots[0] as number;
      const receiver = this.#receivers[slot] as Receiver<unknown>;
      const item = this.#items[slot];
      this.#receivers[slot] = undefined;
      this.#items[slot] = undefined;
      this.#freeSlots.push(slot);
      this.#removeFirst();
      if (item instanceof Task) {
        if (!item.run) {
          this.#cancelled--;
          continue;
        }
        this.#now = time;
        const { run } = item;
        item.run = undefined;
        run();
      } else {
        this.#now = time;
        receiver.arrive(item);
      }
      return true;
    }
    if (until !== Infinity && until > this.#now) this.#now = until;
    return false;
  }

  /** Makes all calls up to `until`, in order. */
  run(until = Infinity): void {
    while (this.step(until));
  }

  /** What is on its way to receivers of one class, in no particular order. */
  *awaiting<T>(kind: abstract new (...args: never[]) => Receiver<T>): Generator<readonly [Receiver<T>, T]> {
    for (let index = 0; index < this.#size; index++) {
      const slot = this.#slots[index] as number;
      const receiver: unknown = this.#receivers[slot];
      if (receiver instanceof kind) yield [receiver, this.#items[slot] as T]; // paired with its item
    }
  }

  #before(index: number, time: number, sequence: number): boolean {
    const other = this.#times[index] as number;
    return other < time || (other === time && (this.#sequences[index] as number) < sequence);
  }

  #place(index: number, time: number, sequence: number, slot: number): void {
    this.#times[index] = time;
    this.#sequences[index] = sequence;
    this.#slots[index] = slot;
  }

  #siftUp(from: number, time: number, sequence: number, slot: number): void {
    let index = from;
    while (index > 0) {
      const parent = (index - 1) >> 2;
      if (this.#before(parent, time, sequence)) break;
      this.#place(index, this.#times[parent] as number, this.#sequences[parent] as number, this.#slots[parent] as number);
      index = parent;
    }
    this.#place(index, time, sequence, slot);
  }

  #removeFirst(): void {
    const last = --this.#size;
    if (last === 0) return;
    const time = this.#times[last] as number;
    const sequence = this.#sequences[last] as number;
    let index = 0;
    for (;;) {
      const first = 4 * index + 1;
      if (first >= last) break;
      let least = first;
      for (let child = first + 1; child < Math.min(first + 4, last); child++)
        if (this.#before(child, this.#times[least] as number, this.#sequences[least] as number)) least = child;
      if (!this.#before(least, time, sequence)) break;
      this.#place(index, this.#times[least] as number, this.#sequences[least] as number, this.#slots[least] as number);
      index = least;
    }
    this.#place(index, time, sequence, this.#slots[last] as number);
  }

  #grow(): void {
    const wider = <A extends Float64Array | Int32Array>(old: A, empty: A): A => {
      empty.set(old);
      return empty;
    };
    this.#times = wider(this.#times, new Float64Array(2 * this.#size));
    this.#sequences = wider(this.#sequences, new Float64Array(2 * this.#size));
    this.#slots = wider(this.#slots, new Int32Array(2 * this.#size));
  }
}

/** RxJS's unit of scheduled work: it may schedule itself again, as `interval` and `timer` do. */
class VirtualAction<S> extends Subscription implements SchedulerAction<S> {
  #task: unknown;

  constructor(
    private readonly clock: VirtualClock,
    private readonly work: (this: SchedulerAction<S>, state?: S) => void,
  ) {
    super(() => clock.clearTimeout(this.#task));
  }

  schedule(state?: S, delay = 0): Subscription {
    if (this.closed) return this;
    this.clock.clearTimeout(this.#task);
    this.#task = this.clock.setTimeout(() => this.work.call(this, state), delay);
    return this;
  }
}
