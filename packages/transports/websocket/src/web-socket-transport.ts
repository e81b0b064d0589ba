import { type Medium, NetworkTransport } from '@conclave/core/embedding';
import { ConclaveError, type NodeId } from '@conclave/core/protocol';
import {
  closeCodes,
  heartbeat,
  lineFrom,
  lineOf,
  newsFrom,
  parameters,
  platformSocket,
  type ResolvedOptions,
  type Socket,
  type WebSocketOptions,
  wireVersion,
} from './socket.js';

const open = 1; // WebSocket.OPEN
/** Beats of the relay that may be missing before it is taken for dead. */
const mostMissing = 3;
/** How long `close` waits for what is queued, in milliseconds. */
const closeTimeout = 2000;

/**
 * A transport over a WebSocket to a relay, which passes frames on by network and node: see `relay`
 * in `@conclave/transport-websocket/relay`. It runs in browsers and in Node.
 *
 * While the connection is up nothing is lost, and what one node sends another arrives in order.
 * Across a reconnection messages get lost, and what is sent to a node that is away is dropped. Most
 * protocols need `reliable(await webSocketTransport(…))`. The relay binds a connection to its node;
 * who may be which node is decided by its option `authorize`.
 *
 * A newer connection of the same node, such as a tab that was loaded again, ends an older one: its
 * status is `closed` then.
 *
 * @throws {ConclaveError} `timed-out`: no relay within `connectTimeout`; `refused`: the relay does
 * not admit this node.
 * @example reliable(await webSocketTransport({ self: 'a', peers: ['b'], network: 'shop', url:
 * 'ws://127.0.0.1:4100' }))
 */
export async function webSocketTransport(options: WebSocketOptions): Promise<NetworkTransport> {
  const WebSocket = options.WebSocket ?? (await platformSocket());
  const link = new RelayLink({
    maxBytes: 1 << 20,
    maxQueuedBytes: 1 << 24,
    connectTimeout: 10_000,
    reconnect: { least: 100, most: 2000 },
    ...options,
    WebSocket,
  });
  const transport = new NetworkTransport(options, link);
  try {
    await link.connect(transport);
  } catch (error) {
    await transport.close();
    throw error;
  }
  return transport;
}

/** The connection to the relay, which is made again for ever. */
class RelayLink implements Medium {
  readonly guarantees = { order: 'fifo', loss: true, duplication: false, restarts: true } as const;
  readonly knowsPeers = true;
  readonly dropped = { unreachable: 0, full: 0 };
  /** Since the last connection. */
  #attempts = 0;
  #transport: NetworkTransport | undefined;
  #socket: Socket | undefined;
  #up = false;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #watch: ReturnType<typeof setInterval> | undefined;
  #missing = 0;
  #lastFailure = 'it did not answer';
  #settle: ((failure?: ConclaveError) => void) | undefined;
  #closing = false;

  constructor(private readonly options: ResolvedOptions) {}

  connect(transport: NetworkTransport): Promise<void> {
    this.#transport = transport;
    const { connectTimeout, self } = this.options;
    return new Promise<void>((resolve, reject) => {
      const late = () =>
        settle(
          new ConclaveError(
            'timed-out',
            `Node ${self} has reached no relay at ${this.#address} within ${connectTimeout} ms: ${this.#lastFailure}`,
            'Start a relay there, or give another url.',
          ),
        );
      const timer =
        connectTimeout === Number.POSITIVE_INFINITY ? undefined : setTimeout(late, connectTimeout);
      const settle = (failure?: ConclaveError) => {
        this.#settle = undefined;
        clearTimeout(timer);
        if (failure) reject(failure);
        else resolve();
      };
      this.#settle = settle;
      try {
        this.#dial();
      } catch (cause) {
        settle(
          new ConclaveError(
            'bad-input',
            `Node ${self} cannot connect to '${this.#given}'`,
            'Give a url such as ws://host:port.',
            {
              cause,
            },
          ),
        );
      }
    });
  }

  send(to: NodeId, frame: string): void {
    const socket = this.#socket;
    if (!this.#up || socket?.readyState !== open) this.dropped.unreachable++;
    else if (socket.bufferedAmount >= this.options.maxQueuedBytes) this.dropped.full++;
    else socket.send(lineOf(to) + frame);
  }

  close(): Promise<void> {
    this.#closing = true;
    clearTimeout(this.#retry);
    clearInterval(this.#watch);
    const socket = this.#socket;
    if (!socket) return Promise.resolve();
    return new Promise((resolve) => {
      const late = () => {
        socket.terminate?.();
        resolve();
      };
      const timer = setTimeout(late, closeTimeout);
      socket.onclose = () => {
        clearTimeout(timer);
        resolve();
      };
      socket.close(1000);
    });
  }

  get #given(): string {
    const { url } = this.options;
    return typeof url === 'string' ? url : url();
  }

  get #url(): URL {
    const { network, self } = this.options;
    const full = new URL(this.#given);
    full.searchParams.set(parameters.network, network);
    full.searchParams.set(parameters.node, self);
    full.searchParams.set(parameters.version, wireVersion);
    return full;
  }

  /** For errors: without the query, which may have a token. */
  get #address(): string {
    const { protocol, host, pathname } = this.#url;
    return `${protocol}//${host}${pathname}`;
  }

  #dial(): void {
    const socket = new this.options.WebSocket(this.#url.href);
    socket.binaryType = 'arraybuffer';
    this.#socket = socket;
    this.#watchFor(socket, this.options.reconnect.most);
    socket.onmessage = ({ data }) => this.#take(socket, data);
    socket.onerror = ({ message }) => {
      if (message) this.#lastFailure = message;
    };
    socket.onclose = ({ code, reason }) => this.#lost(socket, code, reason);
  }

  /**
   * Ends `socket` when nothing arrives for some periods. They are counted, since a tab in the
   * background or a paused process is late itself.
   */
  #watchFor(socket: Socket, period: number): void {
    clearInterval(this.#watch);
    this.#missing = 0;
    this.#watch = setInterval(() => {
      if (++this.#missing > mostMissing) {
        socket.terminate?.();
        if (socket.readyState <= open) socket.close();
        this.#lost(socket, closeCodes.silent, 'the relay is silent');
      }
    }, period);
  }

  #take(socket: Socket, data: unknown): void {
    if (socket !== this.#socket) return;
    this.#missing = 0;
    const message = divided(data);
    const line = message && lineFrom(message.line);
    if (!message || !line) this.#transport?.refuse('malformed');
    else if (line !== 'news') this.#transport?.receive(message.frame, line.node);
    else if (message.frame.length === 0) socket.send(heartbeat);
    else this.#hear(socket, typeof message.frame === 'string' ? message.frame : '');
  }

  #hear(socket: Socket, text: string): void {
    const news = newsFrom(text);
    if (!news) this.#transport?.refuse('malformed');
    else if (news.type === 'peer') {
      const { node: peer, reachable, reason } = news;
      this.#transport?.peer({ peer, reachable, ...(reason !== undefined && { reason }) });
    } else {
      this.#up = true;
      this.#attempts = 0;
      this.#watchFor(socket, news.heartbeat);
      if (this.#settle) this.#settle();
      else this.#transport?.status({ state: 'resumed', gap: true });
      this.#transport?.noPeers('it has not connected to the relay');
      for (const peer of news.peers) this.#transport?.peer({ peer, reachable: true });
    }
  }

  #lost(socket: Socket, code: number, reason: string): void {
    if (socket !== this.#socket || this.#closing) return;
    this.#socket = undefined;
    clearInterval(this.#watch);
    const { self } = this.options;
    const why = reason || `the connection to the relay was closed with code ${code}`;
    if (reason) this.#lastFailure = reason;
    if (this.#up) {
      this.#up = false;
      this.#transport?.noPeers('the relay is away');
      if (code !== closeCodes.replaced) this.#transport?.status({ state: 'down', reason: why });
    }
    if (code === closeCodes.refused || code === closeCodes.replaced || code === 1009) {
      const refusal = new ConclaveError(
        'refused',
        `The relay at ${this.#address} ends the connection of node ${self}: ${why}`,
        cures[code],
      );
      if (this.#settle) return this.#settle(refusal);
      this.#transport?.fail(refusal);
    }
    if (code === closeCodes.replaced) void this.#transport?.end(why);
    else {
      const wait = this.#transport?.backoff(this.#attempts++, this.options.reconnect);
      this.#retry = setTimeout(() => this.#dial(), wait);
    }
  }
}

const cures: Readonly<Record<number, string>> = {
  [closeCodes.replaced]: 'Give each node an id of its own.',
  [closeCodes.refused]: "Compare the options of the node with the relay's.",
  1009: 'Give the relay the same maxBytes.',
};

/** The first line of a message, and the rest. */
function divided(
  data: unknown,
): { readonly line: string; readonly frame: string | Uint8Array } | undefined {
  if (typeof data === 'string') {
    const end = data.indexOf('\n');
    return end < 0 ? undefined : { line: data.slice(0, end), frame: data.slice(end + 1) };
  }
  if (!(data instanceof ArrayBuffer)) return undefined;
  const bytes = new Uint8Array(data);
  const end = bytes.indexOf(10);
  return end < 0
    ? undefined
    : { line: new TextDecoder().decode(bytes.subarray(0, end)), frame: bytes.subarray(end + 1) };
}
