/**
 * Nodes that reach each other over TCP by way of proxies, for the contract of transports. A test
 * cannot pull a cable; a proxy before each node can cut its connections, or keep them and forward
 * nothing, as a machine does that has lost its power.
 */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import type { NetworkTransport } from '@conclave/core/embedding';
import type { TestNetwork, transportContract } from '@conclave/core/embedding/testing';
import type { NodeId } from '@conclave/core/protocol';
import { EMPTY, filter, firstValueFrom } from 'rxjs';
import { FrameWriter, helloOf } from './connection.js';
import { type TcpOptions, tcpTransport } from './index.js';

/** A text as a frame of this transport. */
export const framed = (text: string): Buffer => {
  const writer = new FrameWriter();
  writer.put(text);
  return writer.take();
};

/**
 * `pass`: it forwards; `cut`: it ends each connection; `silent`: it keeps connections and forwards
 * nothing.
 */
export type ProxyMode = 'pass' | 'cut' | 'silent';

/** Stands before one node, whose port is `target`. */
export class LinkProxy {
  target = 0;
  #mode: ProxyMode = 'pass';
  readonly #sockets = new Set<Socket>();
  readonly #server: Server = createServer((client) => this.#open(client));

  async listen(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  get port(): number {
    const address = this.#server.address() as AddressInfo; // it listens on a port
    return address.port;
  }

  set mode(mode: ProxyMode) {
    this.#mode = mode;
    for (const socket of this.#sockets)
      if (mode === 'cut') socket.destroy();
      else if (mode === 'silent') socket.pause();
      else socket.resume();
  }

  close(): void {
    this.mode = 'cut';
    this.#server.close();
  }

  #open(client: Socket): void {
    if (this.#mode === 'cut') {
      client.destroy();
      return;
    }
    const server = connect(this.target, '127.0.0.1');
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      from.setNoDelay(true);
      this.#sockets.add(from);
      from.on('data', (data) => to.write(data));
      from.on('end', () => to.end());
      from.on('error', () => to.destroy());
      from.on('close', () => {
        this.#sockets.delete(from);
        to.destroy();
      });
      if (this.#mode === 'silent') from.pause();
    }
  }
}

/** How many networks were made: each has a name of its own. */
let count = 0;

/** The network, and what tests of TCP itself need of it. */
export interface TcpNetwork extends TestNetwork {
  transport(id: NodeId): ReturnType<typeof tcpTransport>;
  readonly proxies: ReadonlyMap<NodeId, LinkProxy>;
}

export async function tcpNetwork(
  nodes: readonly NodeId[],
  { maxBytes }: { readonly maxBytes: number },
  more: (id: NodeId) => Partial<TcpOptions> = () => ({}),
): Promise<TcpNetwork> {
  const network = `shop ${count++}`;
  const proxies = new Map(nodes.map((id) => [id, new LinkProxy()]));
  await Promise.all([...proxies.values()].map((proxy) => proxy.listen()));
  const live = new Map<NodeId, Awaited<ReturnType<typeof tcpTransport>>>();
  const others = (self: NodeId) => [...proxies].filter(([id]) => id !== self);
  return {
    network,
    proxies,
    /** Resolves when all nodes so far reach the new one: what is sent before that is lost. */
    transport: async (self) => {
      const peers = Object.fromEntries(others(self).map(([id, { port }]) => [id, { port }]));
      const reconnect = { least: 5, most: 50 };
      const transport = await tcpTransport({
        self,
        network,
        listen: { port: 0 },
        peers,
        maxBytes,
        reconnect,
        ...more(self),
      });
      const proxy = proxies.get(self);
      if (proxy) proxy.target = transport.port;
      const reached = [...live.values()].map((other) =>
        Promise.all([untilPeer(other, self, true), untilPeer(transport, other.self, true)]),
      );
      live.set(self, transport);
      transport.status$.subscribe({
        complete: () => live.get(self) === transport && live.delete(self),
      });
      await Promise.all(reached);
      return transport;
    },
    interrupt: async () => {
      for (const proxy of proxies.values()) proxy.mode = 'cut';
    },
    resume: async () => {
      for (const proxy of proxies.values()) proxy.mode = 'pass';
    },
    inject: async (from, to, frames) => {
      const socket = await connected(proxies.get(to)?.port ?? 0);
      socket.write(framed(helloOf({ network, self: from }, to)));
      for (const frame of frames) socket.write(framedBytes(frame));
      socket.end();
      socket.resume();
      await once(socket, 'close');
    },
    close: async () => {
      await Promise.all([...live.values()].map((transport) => transport.close()));
      for (const proxy of proxies.values()) proxy.close();
    },
  };
}

export const setUpTcp: Parameters<typeof transportContract>[1] = (nodes, options) =>
  tcpNetwork(nodes, options);

/** Resolves when `transport` tells that `peer` is reachable, or that it is not. */
export const untilPeer = (
  { peers$ = EMPTY }: NetworkTransport,
  peer: NodeId,
  reachable: boolean,
): Promise<unknown> =>
  firstValueFrom(
    peers$.pipe(filter((status) => status.peer === peer && status.reachable === reachable)),
  );

/** A connection to this port, as a stranger makes it. */
export async function connected(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.on('error', () => {});
  return socket;
}

/** Bytes that need not be a text, as a frame. */
function framedBytes(bytes: Uint8Array): Buffer {
  const frame = Buffer.alloc(4 + bytes.length);
  frame.writeUInt32BE(bytes.length, 0);
  frame.set(bytes, 4);
  return frame;
}
