/**
 * The connections of a node to all its peers, one each. Of two peers the one with the smaller id
 * dials, so that they do not connect twice; a client dials all. The life of a connection:
 *
 *     dialled or accepted → hello: refused, or adopted by the link of its peer → gone → dialled again
 *
 * A link has one connection at a time: a newer one replaces the old one, whose peer has restarted
 * or found it dead. Until its hello a connection counts for nothing, and not for long.
 */

import {
  connect as connectPlain,
  createServer as createPlainServer,
  type Server,
  type Socket,
} from 'node:net';
import type { SecureContextOptions } from 'node:tls';
import { connect as connectTls, createServer as createTlsServer, TLSSocket } from 'node:tls';
import type { Medium, NetworkOptions, NetworkTransport } from '@conclave/core/embedding';
import { ConclaveError, type NodeId } from '@conclave/core/protocol';
import { Connection, type ConnectionEvents, greeting, helloOf, refusalOf } from './connection.js';

export interface TcpOptions extends Omit<NetworkOptions, 'peers'> {
  /**
   * Where this node listens; by default on `127.0.0.1`. Port 0: any free port; see `port` of the
   * transport. Leave it out for a client: it connects to all of its peers, which have `clients`.
   */
  readonly listen?: { readonly host?: string; readonly port: number };
  /** The other nodes and where they listen; by default on `127.0.0.1`. */
  readonly peers: Readonly<Record<NodeId, { readonly host?: string; readonly port: number }>>;
  /**
   * Whether clients, which are no peers, may connect to this node. With `tls`, the certificate of a
   * client names what stands before the first `~` of its id. Default false.
   */
  readonly clients?: boolean;
  /**
   * Mutual TLS. Both sides need a certificate that `ca` has signed, and that names the id of its
   * node: as a DNS name among the alternative names, or without those as the common name. Takes
   * what `node:tls` takes.
   */
  readonly tls?: SecureContextOptions & Required<Pick<SecureContextOptions, 'ca' | 'cert' | 'key'>>;
  /**
   * How much may wait to be sent to one peer, in bytes. What is sent beyond is dropped. Default 16
   * MiB.
   */
  readonly maxQueuedBytes?: number;
  /**
   * How often to tell a peer that this node is alive, in milliseconds. A peer that is silent for
   * three to four times as long is unreachable. Default 1000.
   */
  readonly heartbeat?: number;
  /** How long the other side may take to say who it is, in milliseconds. Default 5000. */
  readonly connectTimeout?: number;
  /**
   * The first and the longest wait before a peer is tried again, in milliseconds. Default 50 and
   * 1000.
   */
  readonly reconnect?: { readonly least: number; readonly most: number };
}

/** Where a node listens. */
export type Address = NonNullable<TcpOptions['listen']>;

/** The options with their defaults. */
export type ResolvedOptions = Required<Omit<TcpOptions, 'tls' | 'listen'>> &
  Pick<TcpOptions, 'tls' | 'listen'>;

/** Connections whose other side has not said hello. Beyond these, the oldest is closed. */
const mostPending = 64;
/** How long `close` waits for what is queued, in milliseconds. */
const closeTimeout = 2000;

/** A peer, and the connection to it. */
interface Link {
  readonly peer: NodeId;
  /** Undefined for a client, which connects by itself. */
  readonly address: Address | undefined;
  /** Since the last connection. */
  attempts: number;
  connection?: Connection | undefined;
  /** The connection that this side makes. */
  dialling?: Connection | undefined;
  retry?: NodeJS.Timeout | undefined;
  reachable?: boolean;
  /** The last refusal that was reported. */
  refusedBy?: string;
}

/** One connection to each peer. Ids are compared as JavaScript compares text. */
export class Mesh implements Medium, ConnectionEvents {
  readonly guarantees = { order: 'fifo', loss: true, duplication: false, restarts: true } as const;
  readonly knowsPeers = true;
  readonly server: Server;
  /**
   * Frames that were not sent, since their peer could not be reached, and since too much waited to
   * be sent to it.
   */
  readonly dropped = { unreachable: 0, full: 0 };
  readonly #links: Map<NodeId, Link>;
  /** Accepted, and not yet greeted; the oldest first. */
  readonly #pending = new Set<Connection>();
  #ticking: NodeJS.Timeout | undefined;
  #transport: NetworkTransport | undefined;
  #down = false;
  #closing = false;

  constructor(private readonly options: ResolvedOptions) {
    const { peers, tls } = options;
    this.#links = new Map(
      Object.entries(peers).map(([peer, address]) => [peer, { peer, address, attempts: 0 }]),
    );
    const accept = (socket: Socket) => this.#accept(socket);
    this.server = tls
      ? createTlsServer({ ...tls, requestCert: true, rejectUnauthorized: true }, accept)
      : createPlainServer(accept);
    this.server.on('tlsClientError', () => this.#transport?.refuse('forged'));
  }

  /** Begins to connect. */
  start(transport: NetworkTransport): void {
    this.#transport = transport;
    // It may never hear of peers that dial. A client dials all of them, and hears.
    if (this.options.listen) transport.noPeers('it has not connected yet');
    this.#ticking = setInterval(() => this.#tick(), this.options.heartbeat);
    for (const link of this.#links.values()) if (this.#dials(link)) this.#dial(link);
  }

  send(to: NodeId, frame: string): void {
    const connection = this.#links.get(to)?.connection;
    if (!connection) this.dropped.unreachable++;
    else if (!connection.send(frame)) this.dropped.full++;
  }

  async close(): Promise<void> {
    this.#closing = true;
    clearInterval(this.#ticking);
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    for (const connection of this.#pending) connection.destroy('closed');
    const links = [...this.#links.values()];
    for (const { retry, dialling } of links) {
      clearTimeout(retry);
      dialling?.destroy('closed');
    }
    await Promise.all(links.map(({ connection }) => connection?.end(closeTimeout)));
    await closed;
  }

  hello(connection: Connection, frame: Uint8Array): void {
    const greeted = greeting(frame, this.options, this.#links);
    const dialled = this.#dialledBy(connection);
    if ('refusedBy' in greeted) return this.#wasRefused(connection, dialled, greeted.refusedBy);
    if ('refuse' in greeted) return this.#refuse(connection, greeted.refuse, greeted.claims);
    const { peer, isClient } = greeted;
    if (
      (dialled && dialled.peer !== peer) ||
      (connection.socket instanceof TLSSocket &&
        !certifies(connection.socket, isClient ? peer.replace(/~.*/s, '') : peer))
    )
      return this.#refuse(connection, 'forged', peer);
    const link = this.#links.get(peer) ?? { peer, address: undefined, attempts: 0 };
    this.#links.set(peer, link);
    if (dialled) dialled.dialling = undefined;
    else connection.send(helloOf(this.options, peer));
    this.#pending.delete(connection);
    this.#adopt(link, connection);
  }

  frame(connection: Connection, frame: Uint8Array): void {
    if (connection.peer !== undefined) this.#transport?.receive(frame, connection.peer);
  }

  tooLong(connection: Connection): void {
    this.#transport?.refuse('too-large', connection.peer);
    if (connection.peer === undefined) connection.destroy('its hello is too long');
  }

  gone(connection: Connection, reason: string): void {
    this.#pending.delete(connection);
    const dialled = this.#dialledBy(connection);
    if (dialled) {
      dialled.dialling = undefined;
      this.#unreachable(dialled, reason);
    }
    const link = connection.peer === undefined ? undefined : this.#links.get(connection.peer);
    if (link?.connection === connection) {
      link.connection = undefined;
      this.#unreachable(link, reason);
    }
    if (link && !link.address && !link.connection) this.#links.delete(link.peer);
    const lost = dialled ?? link;
    if (lost && this.#dials(lost)) this.#dialLater(lost);
  }

  /** Whether this side makes the connection. */
  #dials({ peer, address }: Link): boolean {
    return address !== undefined && (!this.options.listen || this.options.self < peer);
  }

  #dial(link: Link): void {
    if (!link.address) return; // #dials has looked
    const { host = '127.0.0.1', port } = link.address;
    const { tls, connectTimeout } = this.options;
    const event = tls ? 'secureConnect' : 'connect';
    // The name in the certificate is the id of the node, not of the host; hello() compares it.
    const socket = tls
      ? connectTls({ ...tls, host, port, checkServerIdentity: () => undefined })
      : connectPlain({ host, port });
    const connection = new Connection(socket, this.options, this);
    link.dialling = connection;
    socket.once(event, () => connection.send(helloOf(this.options, link.peer)));
    this.#expectHello(connection, connectTimeout);
  }

  #dialLater(link: Link): void {
    if (this.#closing || link.connection || link.dialling) return;
    clearTimeout(link.retry);
    const wait = this.#transport?.backoff(link.attempts++, this.options.reconnect);
    link.retry = setTimeout(() => {
      if (!link.connection && !link.dialling) this.#dial(link);
    }, wait);
  }

  #accept(socket: Socket): void {
    const connection = new Connection(socket, this.options, this);
    if (this.#closing) return connection.destroy('closed');
    this.#pending.add(connection);
    const [oldest] = this.#pending;
    if (this.#pending.size > mostPending) oldest?.destroy('too many connections');
    this.#expectHello(connection, this.options.connectTimeout);
  }

  #expectHello(connection: Connection, timeout: number): void {
    const timer = setTimeout(() => {
      if (connection.peer === undefined) connection.destroy(`no hello within ${timeout} ms`);
    }, timeout);
    connection.socket.once('close', () => clearTimeout(timer));
  }

  #adopt(link: Link, connection: Connection): void {
    const { connection: old } = link;
    link.connection = undefined;
    if (old) {
      old.destroy('a newer connection replaces it');
      this.#unreachable(link, 'a newer connection replaces it');
    }
    link.connection = connection;
    connection.peer = link.peer;
    link.attempts = 0;
    delete link.refusedBy;
    link.reachable = true;
    this.#transport?.peer({ peer: link.peer, reachable: true });
    if (this.#down) {
      this.#down = false;
      this.#transport?.status({ state: 'resumed', gap: true });
    }
  }

  #unreachable(link: Link, reason: string): void {
    if (!link.address || link.reachable === false || this.#closing) return;
    const wasReachable = link.reachable;
    link.reachable = false;
    this.#transport?.peer({ peer: link.peer, reachable: false, reason });
    if (
      !wasReachable ||
      [...this.#links.values()].some(({ address, reachable }) => address && reachable)
    )
      return;
    this.#down = true;
    this.#transport?.status({
      state: 'down',
      reason: `no peer can be reached; the last one was ${link.peer}: ${reason}`,
    });
  }

  #refuse(
    connection: Connection,
    reason: Parameters<NetworkTransport['refuse']>[0],
    claims: NodeId | undefined,
  ): void {
    const { remoteAddress, remotePort } = connection.socket;
    this.#transport?.refuse(
      reason,
      claims,
      remoteAddress === undefined ? undefined : `${remoteAddress}:${remotePort}`,
    );
    connection.reject(refusalOf(reason));
  }

  #wasRefused(connection: Connection, link: Link | undefined, reason: string): void {
    if (link && link.refusedBy !== reason) {
      link.refusedBy = reason;
      const { self } = this.options;
      this.#transport?.fail(
        new ConclaveError(
          'refused',
          `Node ${link.peer} refuses the connection of node ${self} as ${reason}`,
          'Compare their options.',
        ),
      );
    }
    connection.destroy(`it refuses this node as ${reason}`);
  }

  #dialledBy(connection: Connection): Link | undefined {
    for (const link of this.#links.values()) if (link.dialling === connection) return link;
    return undefined;
  }

  #tick(): void {
    for (const { connection } of this.#links.values()) connection?.tick();
  }
}

/**
 * Whether the certificate of the other side names `peer`: a DNS name among its alternative names,
 * else the common name of its subject.
 */
function certifies(socket: TLSSocket, peer: NodeId): boolean {
  // OpenSSL ignores case, ids do not.
  return (
    socket
      .getPeerX509Certificate()
      ?.checkHost(peer, { subject: 'default', wildcards: false, partialWildcards: false }) === peer
  );
}
