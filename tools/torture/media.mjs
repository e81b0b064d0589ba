/** The transports that are tortured, by name, and the networks that faults cut. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, renameSync, symlinkSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { reliable } from '@conclave/core/embedding';
import { freePort } from '@conclave/core/internal/servers';
import { folderOfPostgres, preparedPostgres, urlOfPostgres } from '../bench/postgres.mjs';
import { pause } from './random.mjs';

/** With a port as its argument, this module is the relay of the medium `websocket`. */
const relay = fileURLToPath(import.meta.url);
const local = ['127.0.0.1', '--port'];
const reconnect = { least: 20, most: 200 };
/** For longer than this, in milliseconds, no store waits for another program that writes. */
const patience = 1_500;
const versionOf = (program) => execFileSync(program, ['--version'], { encoding: 'utf8' }).trim();
const versionOfRedis = () => `redis-server ${/v=(\S+)/.exec(versionOf('redis-server'))[1]}`;

/**
 * `start` resolves with the network of a harness, `transport` with that of a process: only what it
 * needs is loaded. `store`, in place of `transport`: the store of a lease in one row, by the server
 * of the same name, or by a file, which keeps what it has written; `onDown` is called when the server
 * is gone. `server`: its version. `hasBroker`: something that all processes need can be down.
 * `hasNetwork`: something lies between two processes.
 */
export const media = {
  nats: {
    ...{ hasBroker: true, hasNetwork: true, server: () => versionOf('nats-server') },
    start: brokerNetwork('nats-server', (port) => ['nats-server', '--addr', ...local, port]),
    transport: async ({ port, isClient: _, ...options }) =>
      (await import('@conclave/transport-nats')).natsTransport({
        ...{ ...options, servers: `127.0.0.1:${port}`, reconnectTimeWait: 50 },
      }),
  },
  redis: {
    ...{ hasBroker: true, hasNetwork: true },
    server: versionOfRedis,
    start: brokerNetwork('redis-server', (port, folder) => [
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
    start: brokerNetwork('relay', (port) => [process.execPath, relay, port]),
    transport: async ({ port, ...options }) =>
      (await import('@conclave/transport-websocket')).webSocketTransport({
        ...{ ...options, url: `ws://127.0.0.1:${port}`, reconnect },
      }),
  },
  tcp: {
    ...{ hasBroker: false, hasNetwork: true, start: meshNetwork },
    /** @param isClient it listens nowhere, and connects to all */
    transport: async ({ self, peers, network, listen, ports, isClient, clients = false }) =>
      (await import('@conclave/transport-tcp')).tcpTransport({
        ...{ self, network, clients, heartbeat: 100, reconnect },
        ...(!isClient && { listen: { port: listen } }),
        peers: Object.fromEntries(peers.map((peer) => [peer, { port: ports[peer] }])),
      }),
  },
  ipc: {
    ...{ hasBroker: true, hasNetwork: false, isIpc: true, start: hubNetwork },
    transport: async (options) => (await import('@conclave/transport-ipc')).ipcTransport(options),
  },
  'postgres-row': {
    ...{ hasBroker: true, hasNetwork: true, start: postgresNetwork },
    server: () => versionOf(join(folderOfPostgres(), 'postgres')),
    async store({ port }, onDown) {
      const { default: pg } = await import('pg');
      const { postgresStore } = await import('@conclave/coordination/store');
      const pool = new pg.Pool({ connectionString: urlOfPostgres(port) });
      pool.on('connect', (client) => client.on('error', onDown));
      pool.on('error', onDown);
      const store = postgresStore(pool);
      await opened(() => store.ensure());
      return { store, close: () => pool.end() };
    },
  },
  'redis-row': {
    ...{ hasBroker: true, hasNetwork: true, server: versionOfRedis },
    start: brokerNetwork('redis-server', (port, folder) => [
      ...['redis-server', '--bind', ...local, port, '--dir', folder],
      ...['--save', '', '--appendonly', 'yes', '--appendfsync', 'always'],
    ]),
    async store({ port }, onDown) {
      const { createClient } = await import('redis');
      const { redisStore } = await import('@conclave/coordination/store');
      const client = createClient({ url: `redis://127.0.0.1:${port}` });
      client.on('error', onDown);
      await client.connect();
      return { store: redisStore(client), close: () => client.destroy() };
    },
  },
  'nats-row': {
    ...{ hasBroker: true, hasNetwork: true, server: () => versionOf('nats-server') },
    start: brokerNetwork('nats-server', (port, folder) => [
      ...['nats-server', '--addr', ...local, port, '--jetstream', '--store_dir', folder],
    ]),
    async store({ port }, onDown) {
      const { connect: connectTo } = await import('@nats-io/transport-node');
      const { Kvm } = await import('@nats-io/kv');
      const { natsStore } = await import('@conclave/coordination/store');
      const connection = await connectTo({
        ...{ servers: `127.0.0.1:${port}`, reconnectTimeWait: 50, maxReconnectAttempts: -1 },
        waitOnFirstConnect: true,
      });
      void (async () => {
        for await (const { type } of connection.status()) if (type === 'disconnect') onDown();
      })();
      const bucket = await opened(() => new Kvm(connection).create('locks'));
      return { store: natsStore(bucket), close: () => connection.close() };
    },
  },
  'file-row': {
    ...{ hasBroker: true, hasNetwork: false, start: folderNetwork },
    async store({ folder }) {
      const { fileStore } = await import('@conclave/coordination/node');
      return { store: fileStore(folder), close: () => {} };
    },
  },
  'sqlite-row': {
    ...{ hasBroker: true, hasNetwork: false, start: sqliteNetwork },
    async store({ file }) {
      const { DatabaseSync } = await import('node:sqlite');
      const { sqliteStore } = await import('@conclave/coordination/store');
      const database = new DatabaseSync(file);
      const store = await opened(() => sqliteStore(database));
      return { store, close: () => database.close() };
    },
  },
};

/** A process may start while the server is down. */
async function opened(open) {
  for (;;)
    try {
      return await open();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
}

/**
 * On one machine a round trip is short, and the wait for a lost message need not grow to the
 * default of 2 seconds.
 */
export const reliably = (transport) =>
  reliable(transport, { retransmitAfter: 100, mostTimeout: 300 });

/**
 * A medium with a broker: each process reaches it through a proxy of its own.
 *
 * @param options of its process; `end`: the signal that kills it
 */
function brokerNetwork(name, commandOf, options = {}) {
  return async ({ harness, nodes, folder }) => {
    const command = (port) => commandOf(String(port), folder);
    const broker = new Broker(harness, name, command, options);
    await broker.start();
    const links = [];
    for (const node of nodes) links.push(await linkTo(broker.port, { node }));
    const controls = proxyControls(links);
    return {
      ...{ broker, ...controls },
      async stop() {
        controls.stop();
        await broker.kill();
      },
      addressOf: (node) => ({ port: links.find((link) => link.node === node).port }),
      /** Cuts each of `some` off the broker. */
      cut(some, mode, delay) {
        for (const { node, proxy } of links) if (some.includes(node)) proxy.set(mode, delay);
      },
    };
  };
}

/**
 * It runs as its own user, in the folder of the harness. SIGQUIT lets no process finish its work, as
 * SIGKILL, and leaves none: a new server would have to wait for them.
 */
function postgresNetwork({ harness, ...where }) {
  const folder = join(harness.data, 'postgres');
  chmodSync(harness.data, 0o711);
  mkdirSync(folder);
  const { program, argumentsOf, options } = preparedPostgres(folder);
  const command = (port) => [program, ...argumentsOf(port)];
  const start = brokerNetwork('postgres', command, { ...options, end: 'SIGQUIT' });
  return start({ harness, ...where });
}

/** The folder is a link: for a while it leads to no folder, as where a disk is gone. */
function folderNetwork({ harness }) {
  const [disk, folder] = ['disk', 'rows'].map((name) => join(harness.data, name));
  const lead = (to) => {
    symlinkSync(to, `${folder}.next`);
    renameSync(`${folder}.next`, folder); // in one step: the folder is never missing
  };
  mkdirSync(disk);
  lead(disk);
  const broker = { kill: () => lead('/dev/null'), start: () => lead(disk) };
  return { broker, addressOf: () => ({ folder }), stop: () => {} };
}

/** Another program locks the database, and is killed in the middle of its transaction. */
async function sqliteNetwork({ harness }) {
  const file = join(harness.data, 'rows.sqlite');
  const node = [await nodeWithSqlite(), '--disable-warning=ExperimentalWarning'];
  const [program, ...words] = node;
  const writes = `const { DatabaseSync } = require('node:sqlite');
    const database = new DatabaseSync(${JSON.stringify(file)}, { timeout: 60_000 });
    database.exec("BEGIN EXCLUSIVE; UPDATE conclave_store SET text = 'half'");
    console.log('locked');
    setInterval(() => {}, 1_000);`;
  let writer;
  const broker = {
    async kill() {
      await new Promise((onOutput) => {
        writer = harness.spawn('writer', program, [...words, '-e', writes], { onOutput });
        writer.once('exit', onOutput);
      });
      await pause(patience);
    },
    start: () => harness.end(writer),
  };
  const text = "'SQLite ' + process.versions.sqlite + ' of Node ' + process.version";
  const server = execFileSync(program, ['-p', text], { encoding: 'utf8' }).trim();
  return { broker, node, server, addressOf: () => ({ file }), stop: () => harness.end(writer) };
}

/** This Node.js, or one that npx fetches. */
async function nodeWithSqlite() {
  if (isBuiltin('node:sqlite')) return process.execPath;
  const { pathOf } = await import('../packages/projects.mjs');
  const { stdout, failure } = await pathOf('node@22.23.3');
  if (failure)
    throw new Error(`SQLite is not installed: Node ${process.version} has none, and ${failure}`);
  return stdout.trim();
}

/**
 * A medium in which each process listens, and is reached by each other one through a proxy of their
 * own.
 */
async function meshNetwork({ nodes }) {
  const ports = new Map();
  for (const node of nodes) ports.set(node, await freePort());
  const links = [];
  for (const from of nodes)
    for (const to of nodes) if (from !== to) links.push(await linkTo(ports.get(to), { from, to }));
  return {
    ...proxyControls(links),
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

const proxyControls = (links) => ({
  heal() {
    for (const { proxy } of links) if (proxy.mode !== 'pass') proxy.set('pass');
  },
  hits: () => links.reduce((sum, { proxy }) => sum + proxy.hits, 0),
  stop() {
    for (const { proxy } of links) proxy.close();
  },
});

/** The hub is in the harness: it is not killed, but closed, and another one takes its place. */
async function hubNetwork() {
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
  constructor(harness, name, commandOf, { end, ...options }) {
    Object.assign(this, { harness, name, commandOf, end, options });
  }

  /** Resolves when it accepts connections. */
  async start() {
    this.port ??= await freePort();
    const [program, ...options] = this.commandOf(this.port);
    let said = '';
    const onError = (text) => {
      said = (said + text).slice(-2000);
    };
    const started = this.harness.spawn(this.name, program, options, { ...this.options, onError });
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
    return this.harness.end(this.#process, this.end);
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

// A proxy on loopback between two processes. `pass`: forwards; `reset`: ends connections and
// accepts none; `silent`: accepts connections and forwards nothing until the next mode, then what
// was held; `slow`: forwards each piece after a delay.

class LoopbackProxy {
  mode = 'pass';
  /** How often a mode other than `pass` met a connection or a piece of data. */
  hits = 0;
  #pairs = new Set();
  #server;
  #delay = 0;

  constructor(target) {
    this.target = target;
  }

  /** Resolves with the port that it listens on. */
  listen() {
    this.#server = createServer((client) => this.#open(client));
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(0, '127.0.0.1', () => resolve(this.#server.address().port));
    });
  }

  set(mode, delay = 0) {
    this.mode = mode;
    this.#delay = delay;
    for (const pair of this.#pairs) this.#apply(pair);
  }

  close() {
    for (const { client, server } of this.#pairs) {
      client.destroy();
      server?.destroy();
    }
    this.#server.close();
  }

  #open(client) {
    const pair = { client, server: undefined };
    client.setNoDelay(true);
    client.on('error', () => {});
    client.on('close', () => {
      this.#pairs.delete(pair);
      pair.server?.destroy();
    });
    client.pause();
    this.#pairs.add(pair);
    this.#apply(pair);
  }

  #apply(pair) {
    const { client, server } = pair;
    if (this.mode !== 'pass') this.hits++;
    if (this.mode === 'reset') {
      client.resetAndDestroy();
      server?.resetAndDestroy();
    } else if (this.mode === 'silent') {
      client.pause();
      server?.pause();
    } else if (server) {
      client.resume();
      server.resume();
    } else if (!client.destroyed) this.#join(pair);
  }

  #join(pair) {
    const { client } = pair;
    const server = connect(this.target, '127.0.0.1');
    pair.server = server;
    server.setNoDelay(true);
    server.on('error', () => client.destroy());
    server.on('close', () => client.destroy());
    this.#forward(client, server);
    this.#forward(server, client);
  }

  /** Pieces keep their order: each waits for those before it. */
  #forward(from, to) {
    const held = [];
    const write = (piece) => {
      if (to.destroyed || to.write(piece)) return;
      from.pause();
      to.once('drain', () => this.mode !== 'silent' && from.resume());
    };
    const due = () => {
      const now = Date.now();
      while (held.length > 0 && held[0].at <= now) write(held.shift().piece);
      if (held.length > 0) setTimeout(due, held[0].at - now);
    };
    from.on('data', (piece) => {
      if (this.mode !== 'pass') this.hits++;
      if (held.length === 0 && this.#delay === 0) return write(piece);
      const at = Math.max(Date.now() + this.#delay, held.at(-1)?.at ?? 0);
      if (held.push({ at, piece }) === 1) setTimeout(due, at - Date.now());
    });
    from.resume();
  }
}

if (process.argv[1] === relay) {
  const { relay: open } = await import('@conclave/transport-websocket/relay');
  await open({ port: Number(process.argv[2]) });
}
