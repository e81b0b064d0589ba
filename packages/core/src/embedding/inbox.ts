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
