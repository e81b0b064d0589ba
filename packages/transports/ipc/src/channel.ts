/**
 * A channel to another process, and the envelopes on it. The application may use the same channel,
 * so envelopes carry a mark and other messages are left alone. A channel takes more than the other
 * side reads, so each sender counts what waits in it.
 */
import type { NodeId } from '@conclave/core/protocol';

/**
 * One end of an IPC channel: `process` in a child, a `ChildProcess` or a worker of `cluster` in its
 * parent.
 */
export interface IpcChannel {
  send?(message: object, callback?: (error: Error | null) => void): boolean;
  on(event: 'message', listener: (message: unknown) => void): unknown;
  on(event: 'disconnect' | 'exit', listener: () => void): unknown;
  off(event: 'message', listener: (message: unknown) => void): unknown;
  off(event: 'disconnect' | 'exit', listener: () => void): unknown;
}

/** How long what a process sent before its end may take to be read, in milliseconds. */
const grace = 1000;

/**
 * Calls `gone` when the process at the other end has disconnected or ended, perhaps more than once.
 *
 * Deno tells no 'disconnect' of a process that is killed before it has read all: there the 'exit'
 * of a child counts, and another parent of this process.
 *
 * @returns a function that stops listening
 */
export function whenGone(channel: IpcChannel, gone: () => void): () => void {
  channel.on('disconnect', gone);
  if (!('Deno' in globalThis)) return () => channel.off('disconnect', gone);
  const timers: NodeJS.Timeout[] = [];
  const onExit = () => void timers.push(setTimeout(gone, grace));
  channel.on('exit', onExit);
  const parent = process.ppid;
  const checkParent = () => process.ppid === parent || gone();
  if (channel === process) timers.push(setInterval(checkParent, grace).unref());
  return () => {
    channel.off('disconnect', gone);
    channel.off('exit', onExit);
    for (const timer of timers) clearInterval(timer);
  };
}

/** A frame of {@link NetworkTransport} on its way. */
export type Item = readonly [network: string, from: NodeId, to: NodeId, frame: string | Uint8Array];

/** A node of a network. */
export interface Place {
  readonly network: string;
  readonly node: NodeId;
}

/**
 * What goes over an IPC channel. From a node: `hello`, `bye`, `frames`. From the hub: `frames`;
 * `welcome` and `refused` answer `hello`; `peer`: whether another node can be reached; `hub`: it is
 * there, or it was closed.
 */
export type Envelope =
  | { readonly type: 'frames'; readonly items: readonly Item[] }
  | ({ readonly type: 'hello' | 'bye' | 'welcome' } & Place)
  | ({ readonly type: 'refused'; readonly reason: string } & Place)
  | ({ readonly type: 'peer'; readonly reachable: boolean; readonly reason?: string } & Place)
  | { readonly type: 'hub'; readonly up: boolean };

/** The version of what goes over the channel, and what sets it apart from other messages on it. */
const mark = 'conclave/1';

export const marked = (envelope: Envelope): object => ({ conclave: mark, ...envelope });

/** The envelope that `message` is; undefined for another message; `malformed` for a bad one. */
export function envelopeOf(message: unknown): Envelope | 'malformed' | undefined {
  if (!isRecord(message) || message.conclave === undefined) return undefined;
  return message.conclave === mark && isEnvelope(message) ? message : 'malformed';
}

const isEnvelope = (
  value: Readonly<Record<string, unknown>>,
): value is Record<string, unknown> & Envelope => {
  const { type, items, network, node, reachable, reason, up } = value;
  if (type === 'frames') return Array.isArray(items);
  if (type === 'hub') return typeof up === 'boolean';
  if (typeof network !== 'string' || typeof node !== 'string') return false;
  if (type === 'peer') return typeof reachable === 'boolean';
  if (type === 'refused') return typeof reason === 'string';
  return type === 'hello' || type === 'bye' || type === 'welcome';
};

/** Whether an element of `items` is an item. */
export const isItem = (value: unknown): value is Item =>
  Array.isArray(value) &&
  value.length === 4 &&
  value.slice(0, 3).every((part) => typeof part === 'string') &&
  (typeof value[3] === 'string' || value[3] instanceof Uint8Array);

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** How long to wait for what is queued, in milliseconds. */
const closeTimeout = 2000;

/** The sending side of a channel. Frames that are sent in one turn go in one envelope. */
export class Outbox {
  #items: Item[] = [];
  /** The bytes, at least, that the channel has not yet taken. */
  #queued = 0;
  #scheduled = false;

  constructor(
    private readonly channel: IpcChannel,
    private readonly maxQueuedBytes: number,
  ) {}

  /** Sends a frame, and returns true, unless more than the limit waits. */
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
    return this.#post(envelope);
  }

  /**
   * As `send`, but waits only for a limited time for a channel that takes nothing, such as that of
   * a paused process.
   */
  async sendLast(envelope: Envelope): Promise<void> {
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
    void this.#post({ type: 'frames', items }).then(() => {
      this.#queued -= length;
    });
  }

  #post(envelope: Envelope): Promise<void> {
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
