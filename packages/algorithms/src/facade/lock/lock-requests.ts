import { countEntry, turnDue } from '../turns.js';

/** Begins requests; in the next turn of the event loop where this one has had enough. */
export class Requests {
  #turning = false;

  /**
   * @param timed whether the time counts: with a clock of its own, the program decides when it
   * passes
   * @param again called in the next turn
   */
  constructor(
    private readonly timed: boolean,
    private readonly again: () => void,
  ) {}

  /** What the next request waits for; undefined where it need not. */
  due(): Promise<void> | undefined {
    return turnDue(this.timed);
  }

  /** @param atOnce whether this turn has room for it */
  begin(atOnce: boolean, request: () => void): void {
    const turn = atOnce ? undefined : this.due();
    if (!turn) {
      countEntry();
      request();
    } else if (!this.#turning) {
      this.#turning = true;
      void turn.then(() => {
        this.#turning = false;
        this.again();
      });
    }
  }
}
