/**
 * A TCP connection between two nodes: frames on a stream of bytes, the hello that admits a peer,
 * heartbeats.
 */
import type { Socket } from 'node:net';
import type { Transport } from '@conclave/core/embedding';
import type { NodeId } from '@conclave/core/protocol';

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

/** The version of what the nodes say at the start of a connection. */
const version = 1;
const protocol = 'conclave-tcp';

/** The longest first frame, in bytes. */
export const longestHello = 4096;

/** Who says hello to whom. */
interface Parties {
  readonly network: string;
  readonly self: NodeId;
}

/** The first frame of each side. The side that dialled speaks first. */
export const helloOf = ({ network, self }: Parties, to: NodeId): string =>
  JSON.stringify([protocol, version, network, self, to]);

type RefusalReason = keyof NonNullable<Transport['refused']>;

/** The answer to a hello that is refused. */
export const refusalOf = (reason: RefusalReason): string =>
  JSON.stringify([protocol, version, { refused: reason }]);

/**
 * Who said hello; or why it is refused, and who it claims to be; or why the other side refused
 * ours.
 */
type Greeting =
  | { readonly peer: NodeId; readonly isClient: boolean }
  | { readonly refuse: RefusalReason; readonly claims?: NodeId }
  | { readonly refusedBy: string };

/** What `frame` says, for the node `self`. */
export function greeting(
  frame: Uint8Array,
  { network, self, clients }: Parties & { readonly clients: boolean },
  peers: { has(id: NodeId): boolean },
): Greeting {
  const value = parsed(frame);
  if (!Array.isArray(value) || value[0] !== protocol) return { refuse: 'malformed' };
  const [, itsVersion, itsNetwork, from, to] = value as readonly unknown[];
  if (itsVersion !== version) return { refuse: 'version' };
  if (typeof itsNetwork === 'object' && itsNetwork !== null && 'refused' in itsNetwork)
    return { refusedBy: String(itsNetwork.refused) };
  if (typeof itsNetwork !== 'string' || typeof from !== 'string' || typeof to !== 'string')
    return { refuse: 'malformed' };
  if (itsNetwork !== network) return { refuse: 'network', claims: from };
  if (to !== self) return { refuse: 'misaddressed', claims: from };
  if (peers.has(from)) return { peer: from, isClient: false };
  return clients ? { peer: from, isClient: true } : { refuse: 'stranger', claims: from };
}

function parsed(frame: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(frame));
  } catch {
    return undefined;
  }
}

const headerBytes = 4;
const heartbeatLength = 0xffffffff;
/** A larger buffer is given up when it is empty. */
const mostKept = 1 << 16;

/** A length that no frame has, without a body: it says that the sender is alive. */
const heartbeat: Uint8Array = Uint8Array.of(0xff, 0xff, 0xff, 0xff);

/** Puts frames one after the other: the length of each in bytes, 32 bits, big-endian; then UTF-8. */
export class FrameWriter {
  /** Grows, and is used again: a program that sends much sends much again. */
  #bytes = Buffer.allocUnsafe(1024);
  /** In bytes. */
  length = 0;

  put(text: string): void {
    // in UTF-8 a UTF-16 unit takes up to three bytes
    this.#reserve(headerBytes + 3 * text.length);
    const written = this.#bytes.write(text, this.length + headerBytes);
    this.#bytes.writeUInt32BE(written, this.length);
    this.length += headerBytes + written;
  }

  /** All frames, once. */
  take(): Buffer {
    const all = Buffer.from(this.#bytes.subarray(0, this.length));
    this.length = 0;
    if (this.#bytes.length > mostKept) this.#bytes = Buffer.allocUnsafe(mostKept);
    return all;
  }

  #reserve(more: number): void {
    const size = this.length + more;
    if (size <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(size, 2 * this.#bytes.length));
    this.#bytes.copy(larger, 0, 0, this.length);
    this.#bytes = larger;
  }
}

/** Takes what a {@link FrameReader} finds. */
interface FrameSink {
  /** `bytes` are valid during the call. */
  frame(bytes: Uint8Array): void;
  /** A frame longer than the limit begins; the reader skips it. */
  tooLong(): void;
}

/** Cuts a stream of bytes into frames. A longer frame than `limit` is skipped, and never held. */
class FrameReader {
  readonly #header = Buffer.alloc(headerBytes);
  #headerFilled = 0;
  #body: Buffer | undefined;
  #bodyFilled = 0;
  #skip = 0;

  constructor(
    public limit: number,
    private readonly sink: FrameSink,
  ) {}

  push(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.#skip > 0) {
        const skipped = Math.min(this.#skip, chunk.length - at);
        this.#skip -= skipped;
        at += skipped;
      } else if (this.#body) at += this.#fill(this.#body, chunk, at);
      else at = this.#begin(chunk, at);
    }
  }

  #fill(body: Buffer, chunk: Buffer, at: number): number {
    const copied = chunk.copy(body, this.#bodyFilled, at);
    this.#bodyFilled += copied;
    if (this.#bodyFilled === body.length) {
      this.#body = undefined;
      this.sink.frame(body);
    }
    return copied;
  }

  /** Reads a header, and the body where the chunk has all of it. Returns where it stopped. */
  #begin(chunk: Buffer, at: number): number {
    const copied = chunk.copy(
      this.#header,
      this.#headerFilled,
      at,
      at + headerBytes - this.#headerFilled,
    );
    const body = at + copied;
    this.#headerFilled += copied;
    if (this.#headerFilled < headerBytes) return body;
    this.#headerFilled = 0;
    const length = this.#header.readUInt32BE(0);
    if (length === heartbeatLength) return body;
    if (length > this.limit) {
      this.#skip = length;
      this.sink.tooLong();
      return body;
    }
    if (chunk.length - body >= length) {
      this.sink.frame(chunk.subarray(body, body + length));
      return body + length;
    }
    this.#body = Buffer.allocUnsafe(length);
    this.#bodyFilled = 0;
    return body;
  }
}
