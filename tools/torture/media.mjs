/** The transports that are tortured, by name, and the networks that faults cut. */
import { execFileSync } from 'node:child_process';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { reliable } from '@conclave/core/embedding';
import { freePort } from '@conclave/core/internal/servers';
import { LoopbackProxy } from './proxy.mjs';

const relay = fileURLToPath(new URL('./websocket-relay.run.mjs', import.meta.url));
const local = ['127.0.0.1', '--port'];
const reconnect = { least: 20, most: 200 };
const versionOf = (program) => execFileSync(program, ['--version'], { encoding: 'utf8' }).trim();

/**
 * `start` resolves with the network of a harness, `transport` with that of a process: only what it
 * needs is loaded. `server`: its version. `hasNetwork`: something lies between two processes.
 */
export const media = {
  nats: {
    ...{ hasBroker: true, hasNetwork: true, server: () => versionOf('nats-server') },
    start: brokered('nats-server', (port) => ['nats-server', '--addr', ...local, port]),
    transport: async ({ port, isClient: _, ...options }) =>
      (await import('@conclave/transport-nats')).natsTransport({
        ...{ ...options, servers: `127.0.0.1:${port}`, reconnectTimeWait: 50 },
      }),
  },
  redis: {
    ...{ hasBroker: true, hasNetwork: true },
    server: () => `redis-server ${/v=(\S+)/.exec(versionOf('redis-server'))[1]}`,
    start: brokered('redis-server', (port, folder) => [
      ...['redis-server', '--bind', ...local, port, '--dir', folder],
      ...['--save', '', '--appendonly', 'no'],
    ]),
    transport: async ({ port, ...options }) =>
      (await import('@conclave/transport-redis')).redisTransport({
        ...{ ...options, url: `redis://127.0.0.1:${port}` },
      }),
  },
  websocket: {
    ...{ hasBroker: true, hasNetwork: true },
    start: brokered('relay', (port) => [process.execPath, relay, port]),
    transport: async ({ port, ...options }) =>
      (await import('@conclave/transport-websocket')).webSocketTransport({
        ...{ ...options, url: `ws://127.0.0.1:${port}`, reconnect },
      }),
  },
  tcp: {
    ...{ hasBroker: false, hasNetwork: true, start: meshed },
    /** @param isClient it listens nowhere, and connects to all */
    transport: async ({ self, peers, network, listen, ports, isClient, clients = false }) =>
      (await import('@conclave/transport-tcp')).tcpTransport({
        ...{ self, network, clients, heartbeat: 100, reconnect },
        ...(!isClient && { listen: { port: listen } }),
        peers: Object.fromEntries(peers.map((peer) => [peer, { port: ports[peer] }])),
      }),
  },
  ipc: {
    ...{ hasBroker: true, hasNetwork: false, isIpc: true, start: hubbed },
    transport: async (options) => (await import('@conclave/transport-ipc')).ipcTransport(options),
  },
};

/**
 * On one machine a round trip is short, and the wait for a lost message need not grow to the
 * default of 2 seconds.
 */
export const reliably = (transport) =>
  reliable(transport, { retransmitAfter: 100, mostTimeout: 300 });

/** A medium with a broker: each process reaches it through a proxy of its own. */
function brokered(name, commandOf) {
  return async ({ harness, nodes, folder }) => {
    const broker = new Broker(harness, name, (port) => commandOf(String(port), folder));
    await broker.start();
    const links = [];
    for (const node of nodes) links.push(await linkTo(broker.port, { node }));
    return {
      ...{ broker, ...proxied(links) },
      addressOf: (node) => ({ port: links.find((link) => link.node === node).port }),
      /** Cuts each of `some` off the broker. */
      cut(some, mode, delay) {
        for (const { node, proxy } of links) if (some.includes(node)) proxy.set(mode, delay);
      },
    };
  };
}

/**
 * A medium in which each process listens, and is reached by each other one through a proxy of their
 * own.
 */
async function meshed({ nodes }) {
  const ports = new Map();
  for (const node of nodes) ports.set(node, await freePort());
  const links = [];
  for (const from of nodes)
    for (const to of nodes) if (from !== to) links.push(await linkTo(ports.get(to), { from, to }));
  return {
    ...proxied(links),
    addressOf: (node) => ({
      listen: ports.get(node),
      ports: Object.fromEntries(
        links.filter(({ from }) => from === node).map(({ to, port }) => [to, port]),
      ),
    }),
    /** Cuts `some` off the others: the processes among them reach each other. */
    cut(some, mode, delay) {
      for (const { from, to, proxy } of links)
        if (some.includes(from) !== some.includes(to)) proxy.set(mode, delay);
    },
  };
}

async function linkTo(port, ends) {
  const proxy = new LoopbackProxy(port);
  return { ...ends, proxy, port: await proxy.listen() };
}

const proxied = (links) => ({
  heal() {
    for (const { proxy } of links) if (proxy.mode !== 'pass') proxy.set('pass');
  },
  hits: () => links.reduce((sum, { proxy }) => sum + proxy.hits, 0),
  stop() {
    for (const { proxy } of links) proxy.close();
  },
});

/** The hub is in the harness: it is not killed, but closed, and another one takes its place. */
async function hubbed() {
  const { ipcHub } = await import('@conclave/transport-ipc');
  const children = new Map();
  let hub = ipcHub();
  return {
    broker: {
      kill: () => hub.close(),
      start() {
        hub = ipcHub();
        for (const [node, child] of children) if (child.connected) hub.add(node, child);
      },
    },
    addressOf: () => ({}),
    attach(node, child) {
      children.set(node, child);
      try {
        hub.add(node, child);
      } catch (error) {
        if (error.code !== 'closed') throw error; // the next hub adds it
      }
    },
    hits: () => 0,
    stop: () => hub.close(),
  };
}

/** A server as a process of its own: killed and started again on the same port. */
class Broker {
  #process;

  /** @param commandOf the program and its arguments for a port */
  constructor(harness, name, commandOf) {
    Object.assign(this, { harness, name, commandOf });
  }

  /** Resolves when it accepts connections. */
  async start() {
    this.port ??= await freePort();
    const [program, ...options] = this.commandOf(this.port);
    let said = '';
    const onError = (text) => {
      said = (said + text).slice(-2000);
    };
    const started = this.harness.spawn(this.name, program, options, { onError });
    this.#process = started;
    const isUp = () =>
      started.pid !== undefined && started.exitCode === null && started.signalCode === null;
    for (const until = Date.now() + 10_000; !(await connects(this.port)); )
      if (Date.now() > until || !isUp())
        throw new Error(
          `${this.name} does not start: ${said.trim() || `nothing accepts connections on port ${this.port} of loopback`}. If it is not installed: apt-get install ${this.name}`,
        );
      else await new Promise((resolve) => setTimeout(resolve, 10));
  }

  /** Resolves when it is dead. */
  kill() {
    return this.harness.end(this.#process);
  }
}

/** Whether something accepts a connection. */
function connects(port) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}
