/**
 * What waits between a transport and its node. A transport may get messages before anybody has
 * subscribed to them; a link may have to keep thousands until they are acknowledged.
 */
import { Observable, Subject } from 'rxjs';
import { ConclaveError } from '../base/error.js';
import type { Message, NodeId } from '../protocol/node.js';

/**
 * Holds what arrives until the first subscription, then passes it on, so that a transport loses
 * nothing at the start.
 *
 * @example const inbox = new Inbox(); socket.onmessage = ({ data }) => inbox.put({ from: peer,
 * message: data });
 */
export class Inbox<T = { readonly from: NodeId; readonly message: unknown }> {
  readonly #subject = new Subject<T>();
  #held: T[] | undefined = [];

  readonly items$ = new Observable<T>((subscriber) => {
    const subscription = this.#subject.subscribe(subscriber);
    // sees what is put meanwhile, too
    for (const item of this.#held ?? []) this.#subject.next(item);
    this.#held = undefined;
    return subscription;
  });

  put(item: T): void {
    if (this.#held) this.#held.push(item);
    else this.#subject.next(item);
  }

  /** Completes `items$`. */
  close(): void {
    this.#subject.complete();
  }
}

/** The error for a message that is passed to a closed transport. */
export const transportClosed = (self: NodeId, { type }: Message): ConclaveError =>
  new ConclaveError('closed', `The transport of node ${self} is closed; it takes no '${type}'`);

/** A queue whose first item is taken in constant time: `shift` moves the rest of a long array. */
export class Backlog<T> {
  #items: T[] = [];
  #taken = 0;

  get length(): number {
    return this.#items.length - this.#taken;
  }

  put(item: T): void {
    this.#items.push(item);
  }

  /** The first item, removed; undefined where there is none. */
  take(): T | undefined {
    const item = this.#items[this.#taken];
    if (this.length === 0) return undefined;
    this.#taken++;
    if (this.#taken >= 1024 && this.#taken * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#taken);
      this.#taken = 0;
    }
    return item;
  }
}
