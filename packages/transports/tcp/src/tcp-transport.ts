import type { SecureContextOptions } from 'node:tls';
import { type NetworkOptions, NetworkTransport } from '@conclave/core/embedding';
import { ConclaveError, type NodeId } from '@conclave/core/protocol';
import { EMPTY, filter, firstValueFrom, scan } from 'rxjs';
import { Mesh } from './mesh.js';

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

class MeshTransport extends NetworkTransport {
  constructor(
    options: ConstructorParameters<typeof NetworkTransport>[0],
    private readonly mesh: Mesh,
  ) {
    super(options, mesh);
  }

  get port(): number {
    const address = this.mesh.server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }
}

/**
 * A transport over TCP: each two nodes have one connection, which the node with the smaller id
 * makes, and makes again for ever.
 *
 * While a connection is up nothing is lost, and what one node sends another arrives in order.
 * Across a reconnection messages get lost, and what is sent to a peer that cannot be reached is
 * dropped. Most protocols need `reliable(await tcpTransport(…))`. Without `tls`, who can connect
 * may claim to be any node: keep others off the network, or use `authenticated`.
 *
 * Resolves when it listens; for a client, when it has reached each peer or failed to. Its status is `down` while no peer can be reached that was reached
 * before.
 *
 * @throws {ConclaveError} `bad-input`: it cannot listen there.
 * @example reliable(await tcpTransport({ self: 'a', network: 'shop', listen: { port: 4001 }, peers:
 * { b: { port: 4002 } } }))
 */
export async function tcpTransport(options: TcpOptions): Promise<
  NetworkTransport & {
    /** The port that it listens on. */
    readonly port: number;
  }
> {
  const { self, network, peers, listen } = options;
  const resolved: ResolvedOptions = {
    maxBytes: 1 << 20,
    maxQueuedBytes: 1 << 24,
    heartbeat: 1000,
    connectTimeout: 5000,
    reconnect: { least: 50, most: 1000 },
    clients: false,
    ...options,
  };
  const mesh = new Mesh(resolved);
  const transport = new MeshTransport(
    {
      ...{ self, network, peers: Object.keys(peers) },
      ...{ maxBytes: resolved.maxBytes, clients: resolved.clients },
    },
    mesh,
  );
  if (listen) {
    await listening(mesh, transport, listen);
    mesh.start(transport);
    return transport;
  }
  const tried = firstAttempts(transport, Object.keys(peers).length);
  mesh.start(transport);
  await tried;
  return transport;
}

/** What a client sends before it has a connection would be dropped. */
const firstAttempts = ({ peers$ = EMPTY }: NetworkTransport, peers: number): Promise<unknown> =>
  firstValueFrom(
    peers$.pipe(
      scan((told, { peer }) => told.add(peer), new Set<string>()),
      filter(({ size }) => size === peers),
    ),
    { defaultValue: undefined },
  );

async function listening(mesh: Mesh, transport: NetworkTransport, listen: Address): Promise<void> {
  const { host = '127.0.0.1', port } = listen;
  await new Promise<void>((resolve, reject) => {
    mesh.server.once('error', (cause) =>
      reject(
        new ConclaveError(
          'bad-input',
          `Node ${transport.self} cannot listen on ${host}:${port}: ${cause.message}`,
          'Give another listen.',
          {
            cause,
          },
        ),
      ),
    );
    mesh.server.listen({ host, port }, resolve);
  });
  mesh.server.on('error', (cause) =>
    transport.fail(
      new ConclaveError(
        'closed',
        `Node ${transport.self} cannot accept a connection: ${cause.message}`,
        '',
        {
          cause,
        },
      ),
    ),
  );
}
