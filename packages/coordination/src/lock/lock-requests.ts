/**
 * Begins the requests of a lock, and lets the event loop turn between entries that need no message.
 * Otherwise they follow each other as microtasks: no socket is read, no timer fires, and the nodes
 * that wait for this one wait for ever. All locks of a program share one loop, and so one count.
 */

/**
 * After so many entries within one turn, or so many milliseconds, the next one waits for the next
 * turn.
 */
const mostEntries = 16;
const longestTurn = 2;

let entries = 0;
let since = 0;
/** Resolves when the loop has turned; undefined where nobody has entered in this turn. */
let turn: Promise<void> | undefined;

/** Counts an entry. */
function countEntry(): void {
  entries++;
  if (turn) return;
  since = performance.now();
  turn = new Promise((resolve) =>
    afterTurn(() => {
      entries = 0;
      turn = undefined;
      resolve();
    }),
  );
}

/**
 * What an entry waits for; undefined where it need not.
 * @param timed whether the time counts, too
 */
const turnDue = (timed: boolean): Promise<void> | undefined =>
  turn !== undefined &&
  (entries >= mostEntries || (timed && performance.now() - since >= longestTurn))
    ? turn
    : undefined;

/**
 * Runs `resume` after sockets were read and timers fired. A timer of 0 ms would take 1 ms in Node,
 * and 4 in browsers.
 */
const afterTurn: (resume: () => void) => void =
  typeof setImmediate === 'function' ? setImmediate : postToItself();

function postToItself(): (resume: () => void) => void {
  const { port1, port2 } = new MessageChannel();
  const waiting: (() => void)[] = [];
  port1.addEventListener('message', () => waiting.shift()?.());
  port1.start();
  return (resume) => {
    waiting.push(resume);
    port2.postMessage(undefined);
  };
}

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
