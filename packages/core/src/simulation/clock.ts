import { type SchedulerAction, type SchedulerLike, Subscription } from 'rxjs';
import { badInput } from '../base/error.js';
import type { ChannelClock } from '../channel/channel.js';
import type { TimerClock } from '../protocol/node-timers.js';

/** Numbers an entry of the heap has. */
const width = 3;

/** A pending call that may be cancelled. */
class Task {
  constructor(public run: (() => void) | undefined) {}
}

/**
 * Takes an item at its time, with the number that was given along: one receiver serves many
 * channels.
 */
export interface NumberedReceiver<T> {
  arrive(item: T, number: number): void;
}

const tasks: NumberedReceiver<Task> = { arrive: (task) => task.run?.() };

/**
 * Virtual time in milliseconds: one heap that serves channels, XState (`clock`) and RxJS
 * (`SchedulerLike`). Calls due at the same time run in the order in which they were scheduled, so a
 * run depends only on its inputs.
 *
 * A 4-ary heap in one typed array, three numbers an entry (time, sequence number, slot): a sift
 * compares values that lie side by side in memory, which matters with 100,000 messages in flight.
 */
export class VirtualClock implements ChannelClock, TimerClock, SchedulerLike {
  #now = 0;
  #size = 0;
  #sequence = 0;
  /** Of what comes before all else that is due now; below every other number. */
  #first = -(2 ** 52);
  #cancelled = 0;
  #heap = new Float64Array(width * 64);
  readonly #receivers: (NumberedReceiver<never> | undefined)[] = [];
  readonly #items: unknown[] = [];
  /** By slot, as the two above. */
  #numbers = new Int32Array(64);
  readonly #freeSlots: number[] = [];

  now(): number {
    return this.#now;
  }

  /** How many calls are pending. */
  get pending(): number {
    return this.#size - this.#cancelled;
  }

  deliverAt<T>(time: number, receiver: NumberedReceiver<T>, item: T, number = 0): void {
    if (!(time >= this.#now))
      throw badInput(`The clock is at ${this.#now} ms; it cannot call back at ${time} ms`);
    this.#put(time, this.#sequence++, receiver, item, number);
  }

  deliverFirst<T>(receiver: NumberedReceiver<T>, item: T, number: number = 0): void {
    this.#put(this.#now, this.#first++, receiver, item, number);
  }

  #put<T>(
    time: number,
    sequence: number,
    receiver: NumberedReceiver<T>,
    item: T,
    number: number,
  ): void {
    if (width * this.#size === this.#heap.length) this.#grow();
    const slot = this.#freeSlots.pop() ?? this.#receivers.length;
    // paired with its item, of the same T
    this.#receivers[slot] = receiver as NumberedReceiver<never>;
    this.#items[slot] = item;
    this.#numbers[slot] = number;
    this.#siftUp(this.#size++, time, sequence, slot);
  }

  setTimeout(fire: () => void, delay: number): unknown {
    const task = new Task(fire);
    this.deliverAt(this.#now + Math.max(0, delay), tasks, task);
    return task;
  }

  /**
   * A timer of a node. One of 0 ms waits for what is due at this moment already, and for what that
   * makes due, as the event loop of a real host turns first.
   */
  setTimer(fire: () => void, delay: number): unknown {
    if (delay > 0) return this.setTimeout(fire, delay);
    const task = new Task(() => {
      task.run = fire;
      this.deliverAt(this.#now, tasks, task);
    });
    this.deliverAt(this.#now, tasks, task);
    return task;
  }

  clearTimeout(handle: unknown): void {
    if (!(handle instanceof Task) || !handle.run) return;
    handle.run = undefined;
    this.#cancelled++;
  }

  schedule<S>(
    work: (this: SchedulerAction<S>, state?: S) => void,
    delay = 0,
    state?: S,
  ): Subscription {
    return new VirtualAction(this, work).schedule(state, delay);
  }

  /**
   * Advances to the next call and makes it. False when there is none, or none up to `until` (then
   * the clock is at `until`).
   */
  step(until = Infinity): boolean {
    while (this.#size > 0) {
      const time = this.#heap[0] as number;
      if (time > until) break;
      const slot = this.#heap[2] as number;
      const receiver = this.#receivers[slot] as NumberedReceiver<unknown>;
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
        receiver.arrive(item, this.#numbers[slot] as number);
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

  /** The pending deliveries to receivers of one class, in no particular order. */
  *awaiting<T>(
    kind: abstract new (...args: never[]) => NumberedReceiver<T>,
  ): Generator<readonly [NumberedReceiver<T>, T, number]> {
    for (let index = 0; index < this.#size; index++) {
      const slot = this.#heap[width * index + 2] as number;
      const receiver: unknown = this.#receivers[slot];
      if (receiver instanceof kind)
        // paired with its item
        yield [receiver, this.#items[slot] as T, this.#numbers[slot] as number];
    }
  }

  #siftUp(from: number, time: number, sequence: number, slot: number): void {
    const heap = this.#heap;
    let at = width * from;
    while (at > 0) {
      const parent = width * ((at / width - 1) >> 2);
      if (before(heap, parent, time, sequence)) break;
      place(
        heap,
        at,
        heap[parent] as number,
        heap[parent + 1] as number,
        heap[parent + 2] as number,
      );
      at = parent;
    }
    place(heap, at, time, sequence, slot);
  }

  #removeFirst(): void {
    const heap = this.#heap;
    const end = width * --this.#size;
    if (end === 0) return;
    const time = heap[end] as number;
    const sequence = heap[end + 1] as number;
    let at = 0;
    for (let child = width; child < end; child = 4 * at + width) {
      let least = child;
      for (let other = child + width; other < Math.min(child + 4 * width, end); other += width)
        if (before(heap, other, heap[least] as number, heap[least + 1] as number)) least = other;
      if (!before(heap, least, time, sequence)) break;
      place(heap, at, heap[least] as number, heap[least + 1] as number, heap[least + 2] as number);
      at = least;
    }
    place(heap, at, time, sequence, heap[end + 2] as number);
  }

  #grow(): void {
    const wider = new Float64Array(2 * this.#heap.length);
    wider.set(this.#heap);
    this.#heap = wider;
    const numbers = new Int32Array(wider.length / width);
    numbers.set(this.#numbers);
    this.#numbers = numbers;
  }
}

/** Whether the entry at `at` is due before (time, sequence). */
function before(heap: Float64Array, at: number, time: number, sequence: number): boolean {
  const other = heap[at] as number;
  return other < time || (other === time && (heap[at + 1] as number) < sequence);
}

function place(heap: Float64Array, at: number, time: number, sequence: number, slot: number): void {
  heap[at] = time;
  heap[at + 1] = sequence;
  heap[at + 2] = slot;
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
