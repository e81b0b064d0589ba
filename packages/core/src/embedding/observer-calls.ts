/**
 * Calls of observers that are due. They run between steps, one after the other, so that an observer
 * may send to the node at once. One that throws does not keep the others from being called: its
 * error becomes an uncaught one of the application, as in RxJS.
 */
export class ObserverCalls {
  readonly #due: (() => void)[] = [];
  /** True at first, so that the application can subscribe before the first call. */
  #isCalling = true;

  add(call: () => void): void {
    this.#due.push(call);
  }

  /** The application may have subscribed after this turn of the event loop. */
  open(): void {
    if (this.#due.length === 0) this.#isCalling = false;
    else
      queueMicrotask(() => {
        this.#isCalling = false;
        this.run();
      });
  }

  /** Does `work`; what becomes due in it waits for the next `run`. */
  hold(work: () => void): void {
    const isCalling = this.#isCalling;
    this.#isCalling = true;
    try {
      work();
    } finally {
      this.#isCalling = isCalling;
    }
  }

  /** Runs what is due, unless it runs already. */
  run(): void {
    if (this.#isCalling) return;
    this.#isCalling = true;
    for (let call = this.#due.shift(); call; call = this.#due.shift()) {
      try {
        call();
      } catch (error) {
        setTimeout(() => {
          throw error;
        });
      }
    }
    this.#isCalling = false;
  }
}
