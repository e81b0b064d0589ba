import type { NodeId } from '@conclave/core/protocol';
import type { WebSocket } from 'ws';
import { closeCodes, heartbeat, type News, newsText } from '../wire.js';
import type { ResolvedOptions } from './options.js';

/** Periods without a message after which a node is taken for dead. */
const mostSilentTicks = 3;

/** The connection of one node. */
export class Member {
  #silent = 0;
  /** How many messages it may send now. */
  #allowance: number;
  #filled = Date.now();
  #resume: NodeJS.Timeout | undefined;

  constructor(
    readonly network: string,
    readonly node: NodeId,
    private readonly socket: WebSocket,
    private readonly limits: Pick<ResolvedOptions, 'maxQueuedBytes' | 'maxRate'>,
  ) {
    this.#allowance = limits.maxRate;
    socket.once('close', () => clearTimeout(this.#resume));
  }

  /** Counts a message of this node, and stops reading from it where it sends too fast. */
  arrived(): void {
    this.#silent = 0;
    if (--this.#allowance >= 0) return;
    const { maxRate } = this.limits;
    const now = Date.now();
    this.#allowance = Math.min(maxRate, this.#allowance + ((now - this.#filled) * maxRate) / 1000);
    this.#filled = now;
    if (this.#allowance >= 0 || this.#resume) return;
    this.socket.pause();
    this.#resume = setTimeout(
      () => {
        this.#resume = undefined;
        this.socket.resume();
      },
      Math.ceil((-this.#allowance * 1000) / maxRate) + 10, // not for each message anew
    );
  }

  /** Sends a message unless too much waits. Returns whether it does. */
  send(message: Buffer, binary: boolean): boolean {
    if (this.socket.bufferedAmount >= this.limits.maxQueuedBytes) return false;
    this.socket.send(message, { binary });
    return true;
  }

  tell(news: News): void {
    this.socket.send(newsText(news));
  }

  tick(): void {
    if (this.#resume) return; // what it sent waits here
    if (++this.#silent > mostSilentTicks) this.socket.terminate();
    else this.socket.send(heartbeat);
  }

  /** A newer connection of the same node is there. */
  replace(): void {
    this.socket.close(closeCodes.replaced, 'a newer connection of this node replaces it');
  }
}
