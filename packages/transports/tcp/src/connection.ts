import type { Socket } from 'node:net';
import type { NodeId } from '@conclave/core/protocol';
import { FrameReader, FrameWriter, heartbeat } from './frames.js';
import { longestHello } from './hello.js';

/** What happens on a connection. */
export interface ConnectionEvents {
  /** The first frame. */
  hello(connection: Connection, frame: Uint8Array): void;
  frame(connection: Connection, frame: Uint8Array): void;
  tooLong(connection: Connection): void;
  /** Once, last. */
  gone(connection: Connection, reason: string): void;
}

/** Ticks without a byte from the other side after which a connection is dead. */
const mostSilentTicks = 3;

/** A socket that carries frames; the first one is the hello. */
export class Connection {
  /** The node on the other side, when it is known. */
  peer: NodeId | undefined;
  readonly #reader: FrameReader;
  #greeted = false;
  readonly #writer = new FrameWriter();
  #wrote = true;
  #silent = 0;
  #reason: string | undefined;
  #gone = false;

  constructor(
    readonly socket: Socket,
    private readonly limits: { readonly maxBytes: number; readonly maxQueuedBytes: number },
    private readonly events: ConnectionEvents,
  ) {
    this.#reader = new FrameReader(longestHello, {
      frame: (bytes) => this.#frame(bytes),
      tooLong: () => {
        if (!this.#gone) this.events.tooLong(this);
      },
    });
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => {
      this.#silent = 0;
      this.#reader.push(chunk);
    });
    socket.on('end', () => {
      this.#reason ??= 'it closed the connection';
    });
    socket.on('error', (error) => {
      this.#reason ??= error.message;
    });
    socket.on('close', () => this.#end(this.#reason ?? 'the connection was closed'));
  }

  /** Sends `text` unless more than the limit waits to be sent. Returns whether it does. */
  send(text: string): boolean {
    const { socket } = this;
    const queued = socket.writableLength + this.#writer.length;
    if (!socket.writable || queued >= this.limits.maxQueuedBytes) return false;
    // what is sent in one turn is one system call
    if (this.#writer.length === 0) process.nextTick(() => this.#flush());
    this.#writer.put(text);
    this.#wrote = true;
    return true;
  }

  #flush(): void {
    if (this.#writer.length > 0 && this.socket.writable) this.socket.write(this.#writer.take());
  }

  /**
   * Called periodically: sends a heartbeat where nothing else was sent, and ends a connection whose
   * other side is silent.
   */
  tick(): void {
    // Ticks are counted, not time: a process that was paused must first read what arrived
    // meanwhile.
    if (++this.#silent > mostSilentTicks) this.destroy('it is silent');
    else if (
      !this.#wrote &&
      this.#greeted &&
      this.socket.writable &&
      this.socket.writableLength === 0
    )
      this.socket.write(heartbeat);
    this.#wrote = false;
  }

  /**
   * Sends what is queued, and closes. Resolves when it is closed, after `timeout` milliseconds in
   * any case.
   */
  end(timeout: number): Promise<void> {
    if (this.socket.closed) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.destroy('closed'), timeout);
      this.socket.once('close', () => {
        clearTimeout(timer);
        resolve();
      });
      this.#flush();
      this.socket.end();
    });
  }

  /** Answers a hello that is refused, and closes. */
  reject(answer: string): void {
    this.send(answer);
    void this.end(1000);
  }

  destroy(reason: string): void {
    this.#reason ??= reason;
    this.socket.destroy();
    this.#end(reason);
  }

  #frame(bytes: Uint8Array): void {
    if (this.#gone) return;
    if (this.#greeted) this.events.frame(this, bytes);
    else {
      this.#greeted = true;
      this.#reader.limit = this.limits.maxBytes;
      this.events.hello(this, bytes);
    }
  }

  #end(reason: string): void {
    if (this.#gone) return;
    this.#gone = true;
    this.events.gone(this, reason);
  }
}
