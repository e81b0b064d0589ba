import { type NetworkOptions, NetworkTransport, type Transport } from '@conclave/core/embedding';
import { ConclaveError, type NodeId } from '@conclave/core/protocol';
import { createClient, ErrorReply, type RedisClientOptions } from 'redis';

/** The node and its peers, and what the client of Redis takes. */
export type RedisOptions = NetworkOptions &
  Pick<
    RedisClientOptions,
    | 'url'
    | 'socket'
    | 'username'
    | 'password'
    | 'credentialsProvider'
    | 'name'
    | 'RESP'
    | 'pingInterval'
  > & {
    /**
     * How long to try to reach the server at the start, in milliseconds; `Infinity`: for ever.
     * Default 10,000.
     */
    readonly connectTimeout?: number;
  };

const defaultTimeout = 10_000;

/**
 * A transport over Redis pub/sub, with one connection to publish and one to listen. Each node
 * subscribes to its own channel, `conclave:<network>:<node>`.
 *
 * While both connections are up nothing is lost, and what one node sends another arrives in order.
 * Redis keeps no message for a subscriber that is away, so across a reconnection messages get lost,
 * and a late one may arrive after newer ones. Most protocols need
 * `reliable(await redisTransport(…))`. Who may publish to a channel may claim to be any node: grant
 * it by an ACL, or use `authenticated`.
 *
 * @throws {ConclaveError} `timed-out`: no server within `connectTimeout`; `refused`: the server
 * refuses the credentials, or the channel.
 * @example reliable(await redisTransport({ self: 'a', peers: ['b'], network: 'shop', url:
 * 'redis://127.0.0.1:6379' }))
 */
export async function redisTransport(options: RedisOptions): Promise<Transport> {
  const {
    self,
    peers,
    network,
    maxBytes,
    connectTimeout = defaultTimeout,
    ...connection
  } = options;
  const link = new Link(
    { self, peers, network },
    { name: channelOf(network, self), ...connection },
    connectTimeout,
  );
  const transport = new NetworkTransport(
    { self, peers, network, ...(maxBytes !== undefined && { maxBytes }) },
    link,
  );
  try {
    await link.open(transport);
  } catch (error) {
    link.destroy();
    throw error;
  }
  return transport;
}

/**
 * The two connections as the medium of a transport: a client of Redis that listens can do nothing
 * else. Both are up or the medium is down. The client connects anew by itself; `reconnectStrategy`
 * says when it gives up instead: at the start after `connectTimeout`, later only where the server
 * refuses.
 */
class Link {
  readonly guarantees = { order: 'any', loss: true, duplication: false, restarts: true } as const;
  readonly knowsPeers = true;
  readonly #self: NodeId;
  readonly #publisher;
  readonly #subscriber;
  readonly #channels: ReadonlyMap<NodeId, string>;
  readonly #startsUntil: number;
  /** What waits for a connection, and ends where one is lost. */
  readonly #onLoss = new Set<() => void>();
  #transport: NetworkTransport | undefined;
  #opened = false;
  #up = true;

  constructor(
    { self, peers, network }: NetworkOptions,
    options: RedisClientOptions,
    private readonly connectTimeout: number,
  ) {
    this.#self = self;
    this.#channels = new Map([self, ...peers].map((id) => [id, channelOf(network, id)]));
    this.#startsUntil = Date.now() + connectTimeout;
    const { reconnectStrategy: given } = options.socket ?? {};
    const reconnectStrategy = (retries: number, cause: Error): number | Error | false => {
      if (isRefusal(cause) || (!this.#opened && Date.now() >= this.#startsUntil)) return false;
      if (given !== undefined) return typeof given === 'function' ? given(retries, cause) : given;
      return this.#transport?.backoff(retries, { least: 50, most: 2000 }) ?? false;
    };
    const socket = {
      connectTimeout: Math.max(1, Math.min(5000, connectTimeout)),
      ...options.socket,
      reconnectStrategy,
    };
    // what cannot be sent is lost, and not kept without bound
    this.#publisher = createClient({ ...options, socket, disableOfflineQueue: true });
    this.#subscriber = this.#publisher.duplicate();
    for (const one of [this.#publisher, this.#subscriber]) {
      one.on('error', (error: Error) => this.#updateStatus(error));
      one.on('ready', () => this.#updateStatus());
      one.on('terminated', (cause: Error) => this.#end(cause));
    }
  }

  async open(transport: NetworkTransport): Promise<void> {
    this.#transport = transport;
    try {
      await Promise.all([this.#publisher.connect(), this.#subscriber.connect()]);
      await this.#subscribe((frame) => transport.receive(frame), transport);
    } catch (error) {
      throw this.#startError(error instanceof Error ? error : new Error(String(error)));
    }
    this.#opened = true;
    this.#updateStatus();
  }

  /** Again where the connection breaks meanwhile: the client itself connects anew. */
  async #subscribe(listener: (frame: Buffer) => void, transport: NetworkTransport): Promise<void> {
    const channel = this.#channels.get(this.#self) ?? '';
    for (let retries = 0; ; retries++) {
      try {
        return await this.#subscriber.subscribe(channel, listener, true);
      } catch (error) {
        const isOver = Date.now() >= this.#startsUntil || !this.#subscriber.isOpen;
        if (isOver || (error instanceof Error && isRefusal(error))) throw error;
        const pause = transport.backoff(retries, { least: 50, most: 2000 });
        await new Promise((resolve) => setTimeout(resolve, pause));
      }
    }
  }

  send(to: NodeId, frame: string): void {
    const channel = this.#channels.get(to);
    if (channel === undefined || !this.#publisher.isReady) return;
    this.#publisher.publish(channel, frame).then(
      (listeners) => {
        // on this server
        const reachable = listeners > 0;
        const reason = 'nobody listens to its channel';
        this.#transport?.peer({ peer: to, reachable, ...(!reachable && { reason }) });
      },
      (cause: Error) => {
        // otherwise the connection broke, and the message is lost
        if (cause instanceof ErrorReply) this.#transport?.fail(refusal(this.#self, cause));
      },
    );
  }

  async close(): Promise<void> {
    if (this.#up && this.#publisher.isReady)
      await Promise.race([
        this.#publisher.close(),
        new Promise<void>((resolve) => this.#onLoss.add(resolve)),
      ]);
    this.destroy();
  }

  destroy(): void {
    this.#publisher.destroy();
    this.#subscriber.destroy();
  }

  /** Tells whether both connections are up, where that has changed. */
  #updateStatus(cause?: Error): void {
    const up = this.#publisher.isReady && this.#subscriber.isReady;
    if (!this.#opened || up === this.#up) return;
    this.#up = up;
    if (!up) for (const giveUp of this.#onLoss) giveUp();
    this.#transport?.status(
      up
        ? { state: 'resumed', gap: true }
        : { state: 'down', reason: cause?.message ?? 'a connection is lost' },
    );
  }

  #end(cause: Error): void {
    if (!this.#opened) return; // `open` throws
    for (const giveUp of this.#onLoss) giveUp();
    void this.#transport?.end(`the Redis client gave up: ${cause.message}`);
  }

  #startError(cause: Error): ConclaveError {
    if (isRefusal(cause)) return refusal(this.#self, cause);
    return new ConclaveError(
      'timed-out',
      `Node ${this.#self} has reached no Redis server within ${this.connectTimeout} ms: ${cause.message || String(cause)}`,
      'Start redis-server there, or give another url.',
      { cause },
    );
  }
}

const refusal = (self: NodeId, cause: Error): ConclaveError =>
  new ConclaveError(
    'refused',
    `The Redis server refuses node ${self}: ${cause.message}`,
    'Check its credentials, and its permission for channels.',
    {
      cause,
    },
  );

/** An error that the server has answered, other than that it is about to be ready. */
const isRefusal = (cause: Error): boolean =>
  cause instanceof ErrorReply && !/^(LOADING|MASTERDOWN|TRYAGAIN)/.test(cause.message);

/** Node ids are any text; the parts of a channel are divided by colons. */
const channelOf = (network: string, node: NodeId): string =>
  `conclave:${encodeURIComponent(network)}:${encodeURIComponent(node)}`;
