import { type Observable, Subject, type Subscription } from 'rxjs';
import type { Random } from '../base/random.js';
import type { ChannelFault } from '../protocol/faults.js';
import type { NodeId } from '../protocol/node.js';
import { type Conditions, drawDelay } from './conditions.js';

/** Takes a delivery at its time. */
export interface Receiver<T> {
  arrive(item: T): void;
}

/** What a channel needs of a clock: the time, and to be called back; times in milliseconds. */
export interface ChannelClock {
  now(): number;
  /**
   * Calls `receiver.arrive(item)` at `time`; calls due at the same time come in the order of the
   * requests.
   */
  deliverAt<T>(time: number, receiver: Receiver<T>, item: T): void;
  /** Calls `receiver.arrive(item)` now, after earlier such calls and before all that is due. */
  deliverFirst<T>(receiver: Receiver<T>, item: T): void;
}

/** Learns what a channel does to messages. */
export interface ChannelObserver<T> {
  happened(fault: ChannelFault, channel: Channel<T>, item: T): void;
}

export interface ChannelOptions<T> {
  readonly clock: ChannelClock;
  readonly random: Random;
  readonly conditions: Conditions;
  /** The link's own delay in milliseconds, for `delay: { kind: 'link' }`. Default 0. */
  readonly linkDelay?: number;
  /** Whether both ends are in one process: the conditions do not apply. Default false. */
  readonly sameProcess?: boolean;
  /** True while the link is cut: messages sent or due then are lost. */
  readonly cut$?: Observable<boolean>;
  readonly observer?: ChannelObserver<T>;
}

/**
 * One directed link as an RxJS subject: `next` sends, subscribers receive later, as the conditions
 * say.
 *
 * @example const link = new Channel<string>('a', 'b', { clock, random: new Random(1), conditions:
 * conditions({ delay: { kind: 'fixed', ms: 5 } }) }); link.subscribe((message) =>
 * console.log(clock.now(), message)); link.next('hello'); clock.run(); // 5 hello
 */
export class Channel<T> extends Subject<T> implements Receiver<T> {
  /** May be replaced while the channel runs; messages in flight are not affected. */
  conditions: Conditions;
  readonly #clock: ChannelClock;
  readonly #random: Random;
  readonly #linkDelay: number;
  readonly #sameProcess: boolean;
  readonly #observer: ChannelObserver<T> | undefined;
  readonly #switch: Subscription | undefined;
  #cut = false;
  #lastArrival = 0;

  constructor(
    readonly from: NodeId,
    readonly to: NodeId,
    options: ChannelOptions<T>,
  ) {
    super();
    this.conditions = options.conditions;
    this.#clock = options.clock;
    this.#random = options.random;
    this.#linkDelay = options.linkDelay ?? 0;
    this.#sameProcess = options.sameProcess ?? false;
    this.#observer = options.observer;
    this.#switch = options.cut$?.subscribe((cut) => {
      this.#cut = cut;
    });
  }

  override next(item: T): void {
    if (this.#sameProcess) return this.#clock.deliverFirst(this, item);
    const { loss, duplication } = this.conditions;
    if (this.#cut || this.#random.chance(loss)) {
      this.#observer?.happened('drop', this, item);
      return;
    }
    this.#launch(item);
    if (this.#random.chance(duplication)) {
      this.#observer?.happened('duplicate', this, item);
      this.#launch(item);
    }
  }

  /** Called by the clock; not for senders. */
  arrive(item: T): void {
    if (this.#cut) this.#observer?.happened('drop', this, item);
    else if (!this.closed) super.next(item);
  }

  override unsubscribe(): void {
    this.#switch?.unsubscribe();
    super.unsubscribe();
  }

  #launch(item: T): void {
    const { delay, order } = this.conditions;
    let arrival = this.#clock.now() + drawDelay(delay, this.#linkDelay, this.#random);
    if (order === 'fifo') {
      if (arrival < this.#lastArrival) arrival = this.#lastArrival;
      this.#lastArrival = arrival;
    }
    this.#clock.deliverAt(arrival, this, item);
  }
}
