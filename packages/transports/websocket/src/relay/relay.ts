/** The relay, to which all nodes connect: it forwards what a member sends to another one. */
import type { IncomingMessage, Server } from 'node:http';
import { ConclaveError, type NodeId } from '@conclave/core/protocol';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import {
  closeCodes,
  heartbeat,
  lineFrom,
  lineOf,
  type News,
  newsText,
  parameters,
  wireVersion,
} from '../socket.js';

/** The longest name of a network or a node, in UTF-16 units. */
const longestName = 256;
/** How long `close` waits for the nodes to answer, in milliseconds. */
const closeTimeout = 1000;
const tryAgainLater = 1013;
const goingAway = 1001;

/** A server that passes frames between the nodes that are connected to it. */
export interface Relay extends AsyncDisposable {
  readonly port: number;
  /** For nodes on this machine. */
  readonly url: string;
  /** The nodes that are connected. */
  readonly connections: number;
  /**
   * Messages passed on; dropped since their receiver is away, since too much waited for it, and
   * since they made no sense; and connections that were refused.
   */
  readonly counts: Readonly<
    Record<'relayed' | 'unreachable' | 'full' | 'malformed' | 'refused', number>
  >;
  close(): Promise<void>;
}

/**
 * Starts a relay for `webSocketTransport`. It keeps nothing: a message for a node that is away is
 * dropped.
 *
 * @throws {ConclaveError} `bad-input`: it cannot listen there.
 * @example const server = await relay({ port: 4100, authorize: ({ node, request }) =>
 * tokenOf(request.url) === tokens[node] });
 */
export async function relay(options: RelayOptions = {}): Promise<Relay> {
  const resolved: ResolvedOptions = {
    port: 0,
    host: '127.0.0.1',
    authorize: () => true,
    maxBytes: (1 << 20) + 1024,
    maxQueuedBytes: 1 << 24,
    maxRate: 20_000,
    maxConnections: 1000,
    heartbeat: 5000,
    ...options,
  };
  const { host, port, server, maxBytes: maxPayload } = resolved;
  const where = server ? { server } : { host, port };
  const sockets = new WebSocketServer({ ...where, maxPayload, perMessageDeflate: false });
  const made = new RelayServer(sockets, resolved);
  if (server?.listening) return made;
  await new Promise<void>((resolve, reject) => {
    sockets.once('listening', resolve);
    sockets.once('error', (cause) =>
      reject(
        new ConclaveError(
          'bad-input',
          `The relay cannot listen on ${host}:${port}: ${cause.message}`,
          'Give another port.',
          { cause },
        ),
      ),
    );
  });
  return made;
}

class RelayServer implements Relay {
  readonly counts = { relayed: 0, unreachable: 0, full: 0, malformed: 0, refused: 0 };
  /** By network and node. */
  readonly #networks = new Map<string, Map<NodeId, Member>>();
  readonly #ticking: NodeJS.Timeout;
  #connections = 0;
  #closed: Promise<void> | undefined;

  constructor(
    private readonly sockets: WebSocketServer,
    private readonly options: ResolvedOptions,
  ) {
    sockets.on('connection', (socket, request) => void this.#accept(socket, request));
    this.#ticking = setInterval(() => this.#tick(), options.heartbeat);
  }

  get port(): number {
    const address = this.sockets.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  get url(): string {
    return `ws://127.0.0.1:${this.port}`;
  }

  get connections(): number {
    return [...this.#networks.values()].reduce((sum, members) => sum + members.size, 0);
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    clearInterval(this.#ticking);
    const closed = new Promise<void>((resolve) => this.sockets.close(() => resolve()));
    const { clients } = this.sockets;
    for (const socket of clients) socket.close(goingAway, 'the relay was closed');
    const timer = setTimeout(() => {
      for (const socket of clients) socket.terminate();
    }, closeTimeout);
    await Promise.all(
      [...clients].map(
        (socket) => new Promise<void>((resolve) => socket.once('close', () => resolve())),
      ),
    );
    clearTimeout(timer);
    await closed;
  }

  async #accept(socket: WebSocket, request: IncomingMessage): Promise<void> {
    socket.on('error', () => {}); // 'close' follows
    this.#connections++;
    socket.once('close', () => this.#connections--);
    if (this.#connections > this.options.maxConnections)
      return this.#refuse(socket, tryAgainLater, 'the relay has too many connections');
    const { searchParams } = new URL(request.url ?? '', 'ws://relay');
    const [network, node, version] = [parameters.network, parameters.node, parameters.version].map(
      (name) => searchParams.get(name),
    );
    if (!network || !node || network.length > longestName || node.length > longestName)
      return this.#refuse(
        socket,
        closeCodes.refused,
        `a name of a network or a node is missing, or longer than ${longestName}`,
      );
    if (version !== wireVersion)
      return this.#refuse(socket, closeCodes.refused, `the relay speaks version ${wireVersion}`);
    const { origins } = this.options;
    const { origin } = request.headers;
    if (origins && origin !== undefined && !origins.includes(origin))
      return this.#refuse(socket, closeCodes.refused, 'its origin is not allowed');
    socket.pause(); // what it sends meanwhile waits
    const isAllowed = await this.#authorized({ network, node, request });
    if (socket.readyState !== socket.OPEN) return;
    socket.resume();
    if (!isAllowed) return this.#refuse(socket, closeCodes.refused, 'it is not authorized');
    this.#enter(new Member(network, node, socket, this.options), socket);
  }

  async #authorized(admission: Parameters<ResolvedOptions['authorize']>[0]): Promise<boolean> {
    try {
      return (await this.options.authorize(admission)) === true;
    } catch {
      return false;
    }
  }

  #refuse(socket: WebSocket, code: number, reason: string): void {
    this.counts.refused++;
    socket.close(code, reason);
  }

  #enter(member: Member, socket: WebSocket): void {
    const { network, node } = member;
    const members = this.#networks.get(network) ?? new Map<NodeId, Member>();
    this.#networks.set(network, members);
    const before = members.get(node);
    if (before) this.#leave(before, 'a newer connection replaces it');
    before?.replace();
    this.#networks.set(network, members); // leave() drops an empty one
    member.tell({ type: 'welcome', heartbeat: this.options.heartbeat, peers: [...members.keys()] });
    for (const other of members.values()) other.tell({ type: 'peer', node, reachable: true });
    members.set(node, member);
    const line = Buffer.from(lineOf(node));
    socket.on('message', (data, isBinary) => this.#pass(member, members, line, data, isBinary));
    socket.once('close', () => this.#leave(member, 'its connection was closed'));
  }

  #leave(member: Member, reason: string): void {
    const { network, node } = member;
    const members = this.#networks.get(network);
    if (members?.get(node) !== member) return;
    members.delete(node);
    if (members.size === 0) this.#networks.delete(network);
    for (const other of members.values())
      other.tell({ type: 'peer', node, reachable: false, reason });
  }

  #pass(
    from: Member,
    members: ReadonlyMap<NodeId, Member>,
    line: Buffer,
    data: RawData,
    binary: boolean,
  ): void {
    if (members.get(from.node) !== from) return; // it was replaced
    from.arrived();
    // ws gives Buffers unless told otherwise
    const message = data instanceof Buffer ? data : Buffer.alloc(0);
    const end = message.indexOf(10);
    const found = end < 0 ? undefined : lineFrom(message.toString('utf8', 0, end));
    if (found === 'news') return; // the answer to a heartbeat
    const to = found && members.get(found.node);
    if (!found) this.counts.malformed++;
    else if (!to) this.counts.unreachable++;
    else if (to.send(Buffer.concat([line, message.subarray(end + 1)]), binary))
      this.counts.relayed++;
    else this.counts.full++;
  }

  #tick(): void {
    for (const members of this.#networks.values())
      for (const member of members.values()) member.tick();
  }
}

/** Periods without a message after which a node is taken for dead. */
const mostSilentTicks = 3;

/** The connection of one node. */
class Member {
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

export interface RelayOptions {
  /** Port 0: any free port; see `port` of the relay. */
  readonly port?: number;
  /** Default `127.0.0.1`. */
  readonly host?: string;
  /** Serves on this HTTP or HTTPS server instead. It stays open when the relay closes. */
  readonly server?: Server;
  /**
   * Whether the sender of a request may be this node: its headers, and its `url` with the query that
   * the node was given. Default: each one may. An error counts as no.
   */
  readonly authorize?: (claim: {
    readonly network: string;
    readonly node: NodeId;
    readonly request: IncomingMessage;
  }) => boolean | Promise<boolean>;
  /**
   * The pages that may connect, such as `https://example.org`. Programs that are no browsers send
   * no origin, and are not kept out by it. Default: all.
   */
  readonly origins?: readonly string[];
  /**
   * The longest message, in bytes; a longer one ends its connection. Default 1 MiB and 1 KiB for
   * the address.
   */
  readonly maxBytes?: number;
  /**
   * How much may wait to be sent to one node, in bytes. What is sent beyond is dropped. Default 16
   * MiB.
   */
  readonly maxQueuedBytes?: number;
  /**
   * How many messages a node may send per second. Beyond, the relay stops reading from it for a
   * while. Default 20,000.
   */
  readonly maxRate?: number;
  /** How many connections there may be. Default 1000. */
  readonly maxConnections?: number;
  /**
   * How often to ask each node whether it is alive, in milliseconds. One that is silent for three
   * to four times as long is ended. Default 5000.
   */
  readonly heartbeat?: number;
}

/** The options with their defaults. */
type ResolvedOptions = Required<Omit<RelayOptions, 'server' | 'origins'>> &
  Pick<RelayOptions, 'server' | 'origins'>;
