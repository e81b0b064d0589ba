import { Observable, Subject } from 'rxjs';

/**
 * Holds items until the first subscriber, then passes them on, so that a transport loses nothing at the start.
 *
 * @example const inbox = new Inbox<Incoming>(); socket.onmessage = ({ data }) => inbox.put({ from: peer, message: data });
 */
export class Inbox<T> {
  readonly #subject = new Subject<T>();
  #held: T[] | undefined = [];

  readonly items$ = new Observable<T>((subscriber) => {
    const subscription = this.#subject.subscribe(subscriber);
    for (const item of this.#held ?? []) this.#subject.next(item); // sees what is put meanwhile, too
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
