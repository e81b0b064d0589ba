import { NetworkTransport } from '@conclave/core/embedding';
import { RelayLink } from './relay-link.js';
import { platformSocket, type WebSocketOptions } from './socket.js';

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
