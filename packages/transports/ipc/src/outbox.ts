import type { IpcChannel } from './channel.js';
import { type Envelope, type Item, marked } from './envelope.js';

/** How long to wait for what is queued, in milliseconds. */
const closeTimeout = 2000;

/** What waits to be sent over a channel. What is sent in one turn goes in one envelope. */
export class Outbox {
  #items: Item[] = [];
  /** The bytes, at least, that the channel has not yet taken. */
  #queued = 0;
  #scheduled = false;

  constructor(
    private readonly channel: IpcChannel,
    private readonly maxQueuedBytes: number,
  ) {}

  /** Sends a frame unless more than the limit waits. Returns whether it does. */
  frame(item: Item): boolean {
    if (this.#queued >= this.maxQueuedBytes) return false;
    this.#queued += item[3].length;
    this.#items.push(item);
    if (!this.#scheduled) {
      this.#scheduled = true;
      process.nextTick(() => this.#flush());
    }
    return true;
  }

  /** Sends an envelope after what waits. Resolves when the channel has taken it, or is closed. */
  send(envelope: Envelope): Promise<void> {
    this.#flush();
    return this.#hand(envelope);
  }

  /**
   * As `send`, but waits for a channel that takes nothing, such as that of a paused process, for a
   * limited time only.
   */
  async last(envelope: Envelope): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, closeTimeout);
    });
    await Promise.race([this.send(envelope), late]);
    clearTimeout(timer);
  }

  #flush(): void {
    this.#scheduled = false;
    const items = this.#items;
    if (items.length === 0) return;
    this.#items = [];
    const length = items.reduce((sum, [, , , frame]) => sum + frame.length, 0);
    void this.#hand({ type: 'frames', items }).then(() => {
      this.#queued -= length;
    });
  }

  #hand(envelope: Envelope): Promise<void> {
    return new Promise((resolve) => {
      const done = () => resolve(); // a channel that is closed reports 'disconnect', too
      try {
        this.channel.send?.(marked(envelope), done);
      } catch {
        done();
      }
    });
  }
}
