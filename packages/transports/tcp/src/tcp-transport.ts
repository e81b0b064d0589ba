import { NetworkTransport } from '@conclave/core/embedding';
import { ConclaveError } from '@conclave/core/protocol';
import { EMPTY, filter, firstValueFrom, scan } from 'rxjs';
import { type Address, Mesh, type ResolvedOptions, type TcpOptions } from './mesh.js';

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
