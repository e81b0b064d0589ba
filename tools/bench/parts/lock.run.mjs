/**
 * One process of a measurement of locks: makes its lock, enters while it is told to, and says how
 * long each wait for the lock took.
 */
import { join } from 'node:path';
import { Subject } from 'rxjs';
import { leasedMajority, lock, naimiTrehel, ricartAgrawala } from '../../../packages/algorithms/dist/index.js';
import { memoryStorage, reliable } from '../../../packages/core/dist/embedding/index.js';
import { fileStorage } from '../../../packages/core/dist/embedding/node/index.js';

const config = JSON.parse(process.argv[2]);
const { kind, server, durable, greedy, self, nodes, ports, urls, network, folder } = config;
const peers = nodes.filter((id) => id !== self);

async function transport(name, only = peers) {
  const common = { self, network: name };
  if (server === 'nats')
    return (await import('@conclave/transport-nats')).natsTransport({
      ...common,
      peers: only,
      servers: urls.nats,
    });
  if (server === 'redis')
    return (await import('@conclave/transport-redis')).redisTransport({
      ...common,
      peers: only,
      url: urls.redis,
    });
  const { tcpTransport } = await import('@conclave/transport-tcp');
  const addresses = Object.fromEntries(
    only.map((id) => [id, { host: '127.0.0.1', port: ports[id] }]),
  );
  return tcpTransport({
    ...common,
    listen: { host: '127.0.0.1', port: ports[self] },
    peers: addresses,
  });
}

/** Conclave's locks share one transport with the messages that measure a round trip. */
async function ofConclave() {
  const raw = await transport(network);
  // the first needs no order, and makes up for loss itself
  const below = kind === 'leased-majority' ? raw : reliable(raw);
  const waiting = new Map();
  let pings = 0;
  const received = new Subject();
  below.received$.subscribe(({ from, message }) => {
    if (message.type === 'bench-ping')
      below.send(from, { type: 'bench-pong', number: message.number });
    else if (message.type === 'bench-pong') waiting.get(message.number)?.();
    else received.next({ from, message });
  });
  const ping = () =>
    new Promise((resolve) => {
      waiting.set(++pings, resolve);
      below.send(peers[0], { type: 'bench-ping', number: pings });
    });
  const shared = {
    self,
    guarantees: below.guarantees,
    received$: received,
    send: (to, message) => below.send(to, message),
    close: () => below.close(),
    [Symbol.asyncDispose]: () => below.close(),
  };
  const protocols = {
    'ricart-agrawala': () => ricartAgrawala,
    'naimi-trehel': () => naimiTrehel({ greedy }),
    'leased-majority': () => leasedMajority(),
  };
  const protocol = protocols[kind]();
  const storage = durable ? fileStorage(join(folder, self)) : memoryStorage();
  const made = lock(protocol, { self, peers, transport: shared, storage });
  return { acquire: async () => (await made.acquire()).release, ping };
}

async function ofRedis() {
  const { Redis } = await import('ioredis');
  const client = new Redis(urls.redis);
  const ping = () => client.ping();
  if (kind === 'redlock') {
    const { default: Redlock } = await import('redlock');
    // its other settings are the defaults
    const redlock = new Redlock([client], { retryCount: -1 });
    redlock.on('error', () => {}); // each attempt that finds the lock taken
    return {
      acquire: async () => {
        const held = await redlock.acquire([network], 10_000);
        return () => held.release();
      },
      ping,
    };
  }
  const { Mutex } = await import('redis-semaphore');
  return {
    acquire: async () => {
      const mutex = new Mutex(client, network, { acquireTimeout: 60_000 });
      await mutex.acquire();
      return () => mutex.release();
    },
    ping,
  };
}

/** A key that is created by the holder and deleted at its release; others watch it. */
async function ofKeyValue() {
  const { connect } = await import('@nats-io/transport-node');
  const { jetstream } = await import('@nats-io/jetstream');
  const { Kvm } = await import('@nats-io/kv');
  const connection = await connect({ servers: urls.nats });
  const store = await new Kvm(jetstream(connection)).create(network, {
    storage: 'memory',
    ttl: 10_000,
  });
  const gone = new Set();
  const watch = await store.watch({ key: 'lock' });
  void (async () => {
    for await (const { operation } of watch)
      if (operation !== 'PUT') {
        for (const wake of gone) wake();
        gone.clear();
      }
  })();
  const acquire = async () => {
    for (;;) {
      const deleted = new Promise((resolve) => {
        gone.add(resolve);
        // a deletion may be seen before the next attempt waits for it
        setTimeout(resolve, 500).unref();
      });
      try {
        const revision = await store.create('lock', self);
        return () => store.delete('lock', { previousSeq: revision });
      } catch {
        await deleted; // another process has it
      }
    }
  };
  return { acquire, ping: () => connection.rtt() };
}

const made = await (kind === 'nats-kv'
  ? ofKeyValue()
  : kind.startsWith('red')
    ? ofRedis()
    : ofConclave());

async function enter() {
  const start = performance.now();
  const release = await made.acquire();
  const wait = performance.now() - start;
  await release();
  return wait;
}

async function warm() {
  for (let count = 0; count < 200; count++) await enter();
  const trips = [];
  for (let count = 0; count < 300; count++) {
    const start = performance.now();
    await made.ping();
    trips.push(performance.now() - start);
  }
  trips.sort((a, b) => a - b);
  process.send({ type: 'warm', roundTrip: trips[150] });
}

async function go(seconds) {
  const waits = [];
  const start = performance.now();
  while (performance.now() - start < 1000 * seconds) waits.push(await enter());
  process.send({ type: 'done', waits, seconds: (performance.now() - start) / 1000 });
}

process.on('message', (message) => {
  const work = message.type === 'warm' ? warm() : go(message.seconds);
  work.catch((error) => process.send({ type: 'failed', why: String(error?.message ?? error) }));
});
process.send({ type: 'ready' });
