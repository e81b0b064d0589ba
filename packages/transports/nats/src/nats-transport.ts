import { type NetworkOptions, NetworkTransport, type Transport } from '@conclave/core/embedding';
import { ConclaveError, type NodeId } from '@conclave/core/protocol';
import {
  connect,
  errors,
  type NatsConnection,
  type NodeConnectionOptions,
  type Status,
} from '@nats-io/transport-node';

/**
 * The node and its peers, and what the client of NATS takes: `servers`, `user`, `pass`, `token`,
 * `authenticator`, `tls` …
 */
export type NatsOptions = NetworkOptions &
  NodeConnectionOptions & {
    /**
     * How long to try to reach a server at the start, in milliseconds; `Infinity`: for ever.
     * Default 10,000.
     */
    readonly connectTimeout?: number;
    /** Whether clients, which are no peers, may send to this node. Default false. */
    readonly clients?: boolean;
  };

/**
 * Where they differ from the client's: reconnect for ever and soon, and notice within 15 seconds
 * that a server is silent.
 */
const defaults = { maxReconnectAttempts: -1, reconnectTimeWait: 250, pingInterval: 5000 } as const;
const defaultTimeout = 10_000;
/** So many subjects are remembered. */
const mostSubjects = 1_000;

/**
 * A transport over core NATS: each node subscribes to its own subject, `conclave.<network>.<node>`.
 *
 * While the connection is up nothing is lost, and what one node sends another arrives in order.
 * Across a reconnection messages get lost, and in a cluster a late one may arrive after newer ones.
 * Most protocols need `reliable(await natsTransport(…))`. Who may publish to a subject may claim to
 * be any node: grant it by the server's permissions, or use `authenticated`.
 *
 * @throws {ConclaveError} `timed-out`: no server within `connectTimeout`; `refused`: the server
 * refuses the credentials, or the subject; `bad-input`: `maxBytes` is more than the server takes.
 * @example reliable(await natsTransport({ self: 'a', peers: ['b'], network: 'shop', servers:
 * 'nats://127.0.0.1:4222' }))
 */
export async function natsTransport(options: NatsOptions): Promise<Transport> {
  const {
    self,
    peers,
    network,
    maxBytes = 1 << 20,
    connectTimeout = defaultTimeout,
    clients = false,
    ...connection
  } = options;
  const until = Date.now() + connectTimeout;
  const settings = { ...defaults, name: `conclave ${network} ${self}`, ...connection };
  const late = (cause: Error) => tooLate(self, settings, connectTimeout, cause);
  const client = await connected(settings, { until, late, self });
  try {
    return await opened(client, { self, peers, network, maxBytes, clients }, { until, late });
  } catch (error) {
    await client.close();
    throw error;
  }
}

/** When the start has to be over, and the error where it is not. */
interface Limit {
  readonly until: number;
  readonly late: (cause: Error) => ConclaveError;
}

async function opened(
  client: NatsConnection,
  options: NetworkOptions & { readonly maxBytes: number; readonly clients: boolean },
  limit: Limit,
): Promise<Transport> {
  const { self, network, maxBytes } = options;
  const most = client.info?.max_payload ?? maxBytes;
  if (maxBytes > most)
    throw new ConclaveError(
      'bad-input',
      `Node ${self} may send ${maxBytes} bytes, but the NATS server takes ${most}`,
      'Lower maxBytes.',
    );
  const link = new Link(client, network);
  const transport = new NetworkTransport(options, link);
  let refusal: Error | undefined;
  client.subscribe(subjectOf(network, self), {
    callback: (error, message) => {
      if (error) refusal = error;
      else transport.receive(message.data);
    },
  });
  await subscribed(client, limit);
  if (refusal)
    throw new ConclaveError(
      'refused',
      `The NATS server refuses node ${self}: ${refusal.message}`,
      permissionCure,
      { cause: refusal },
    );
  void link.follow(transport);
  return transport;
}

/**
 * Until the subscription is active, or refused; again where the connection breaks meanwhile: the
 * client itself connects anew.
 */
async function subscribed(client: NatsConnection, { until, late }: Limit): Promise<void> {
  let cause = new Error('the connection is lost');
  let timer: ReturnType<typeof setTimeout> | undefined;
  const isOver = new Promise<never>((_, reject) => {
    if (until < Infinity) timer = setTimeout(() => reject(late(cause)), until - Date.now());
  });
  try {
    for (;;)
      try {
        return await Promise.race([client.flush(), isOver]);
      } catch (error) {
        if (!(error instanceof errors.RequestError) || client.isClosed()) throw error;
        cause = error;
      }
  } finally {
    clearTimeout(timer);
  }
}

const permissionCure =
  'Permit each node to subscribe to its own subject, and to publish to those of its peers.';

/** The connection as the medium of a transport. */
class Link {
  readonly guarantees = { order: 'any', loss: true, duplication: false, restarts: true } as const;
  /** While the connection is down: calls when it is. */
  readonly #lost = new Set<() => void>();
  readonly #subjects = new Map<NodeId, string>();
  #up = true;

  constructor(
    private readonly client: NatsConnection,
    private readonly network: string,
  ) {}

  send(to: NodeId, frame: string): void {
    if (this.#up && !this.client.isClosed()) this.client.publish(this.#subjectOf(to), frame); // the client would keep it without bound
  }

  #subjectOf(id: NodeId): string {
    const known = this.#subjects.get(id);
    if (known !== undefined) return known;
    if (this.#subjects.size >= mostSubjects) this.#subjects.clear(); // clients come and go
    const subject = subjectOf(this.network, id);
    this.#subjects.set(id, subject);
    return subject;
  }

  async close(): Promise<void> {
    if (this.#up && !this.client.isClosed())
      await Promise.race([
        this.client.drain().catch(() => {}),
        new Promise<void>((resolve) => this.#lost.add(resolve)),
      ]);
    await this.client.close();
  }

  /** Passes the status of the connection on until it is closed. */
  async follow(transport: NetworkTransport): Promise<void> {
    for await (const status of this.client.status()) await this.#tell(transport, status);
    const error = await this.client.closed();
    await transport.end(
      error ? `the NATS client gave up: ${error.message}` : 'the NATS client was closed',
    );
  }

  async #tell(transport: NetworkTransport, status: Status): Promise<void> {
    if (status.type === 'disconnect') {
      this.#up = false;
      for (const lost of this.#lost) lost();
      transport.status({ state: 'down', reason: `the connection to ${status.server} is lost` });
    } else if (status.type === 'reconnect') {
      this.#up = true;
      transport.status({ state: 'resumed', gap: true });
    } else if (status.type === 'error') transport.fail(failure(transport.self, status.error));
  }
}

function failure(self: NodeId, cause: Error): ConclaveError {
  const isPermission = cause instanceof errors.PermissionViolationError;
  return new ConclaveError(
    'refused',
    `The NATS server refuses what node ${self} does: ${cause.message}`,
    isPermission ? permissionCure : '',
    {
      cause,
    },
  );
}

const serversOf = ({ servers, port = 4222 }: NodeConnectionOptions): string =>
  [servers ?? `127.0.0.1:${port}`].flat().join(', ');

const tooLate = (self: NodeId, options: NodeConnectionOptions, timeout: number, cause: Error) =>
  new ConclaveError(
    'timed-out',
    `Node ${self} has reached no NATS server at ${serversOf(options)} within ${timeout} ms: ${cause.message}`,
    'Start nats-server there, or give another address as servers.',
    { cause },
  );

/** Connects, and tries again until the time is over. */
async function connected(
  options: NodeConnectionOptions,
  { until, late, self }: Limit & { readonly self: NodeId },
): Promise<NatsConnection> {
  const servers = serversOf(options);
  for (;;) {
    try {
      const left = until - Date.now();
      return await connect({
        ...options,
        timeout: Math.max(1, Math.min(options.timeout ?? 20_000, left)),
      });
    } catch (error) {
      const cause = error instanceof Error ? error : new Error(String(error));
      if (isRefusal(cause))
        throw new ConclaveError(
          'refused',
          `The NATS server at ${servers} refuses node ${self}: ${cause.message}`,
          'Check its credentials.',
          { cause },
        );
      if (!isTransient(cause))
        throw new ConclaveError(
          'bad-input',
          `Node ${self} cannot connect to ${servers}: ${cause.message}`,
          '',
          { cause },
        );
      const wait = Math.min(options.reconnectTimeWait ?? 250, until - Date.now());
      if (wait <= 0) throw late(cause);
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }
}

const isRefusal = (error: Error): boolean =>
  error instanceof errors.AuthorizationError ||
  error instanceof errors.UserAuthenticationExpiredError;

/** Whether a later attempt may succeed. */
const isTransient = (error: Error): boolean =>
  error instanceof errors.ConnectionError ||
  error instanceof errors.TimeoutError ||
  'code' in error;

/** Node ids are any text; a part of a subject is not. */
const subjectOf = (network: string, node: NodeId): string =>
  `conclave.${partOf(network)}.${partOf(node)}`;

const partOf = (text: string): string =>
  text === ''
    ? '%'
    : encodeURIComponent(text).replace(/[.*]/g, (mark) => (mark === '.' ? '%2E' : '%2A'));
