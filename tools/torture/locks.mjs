/** The locks of one process, by name, over one transport that loses messages. */
import { join } from 'node:path';
import { parentPort, Worker, workerData } from 'node:worker_threads';
import { leasedMajority, leaseInOneRow, naimiTrehel, ricartAgrawala } from '@conclave/algorithms';
import { lock, lockClient, locks } from '@conclave/coordination';
import { serveLock, workerLock } from '@conclave/coordination/worker';
import { fileJournal, fileStorage } from '@conclave/core/embedding/node';
import { tap } from 'rxjs';
import { media, reliably } from './media.mjs';
import { between, randomOf } from './random.mjs';

const made = { leasedMajority, leaseInOneRow, naimiTrehel, ricartAgrawala: () => ricartAgrawala };

/** The protocol of a run. */
export const protocolOf = ({ name, options }) => made[name](options);

/** As the row of the plan says. `onError` and `onStatus` get what the locks and the transport tell. */
export const openLocks = (config, listeners) => {
  const { watch, servers, row } = config.protocol;
  const open = row ? openRows : watch ? openWatched : servers ? openServed : openOwn;
  return open(config, listeners);
};

/** The transport of this process, which loses messages, and what it has counted. */
async function openTransport(config, onStatus, options = {}) {
  const { self, nodes, medium, seed, incarnation } = config;
  const bare = await media[medium].transport({
    self,
    peers: nodes.filter((node) => node !== self),
    network: 'torture',
    ...config.address,
    ...options,
  });
  bare.status$?.subscribe(onStatus);
  const random = randomOf(seed, 'loss', self, incarnation);
  const { transport, counts } = lossy(bare, config.conditions, random);
  return { transport, counts: () => ({ ...counts, refused: bare.refused }) };
}

async function openOwn(config, { onError, onStatus }) {
  const { self, nodes, names, jobs, protocol } = config;
  const peers = nodes.filter((node) => node !== self);
  const { transport, counts } = await openTransport(config, onStatus);
  const data = join(config.data, self);
  // Each line is written at once: a SIGKILL loses none.
  const journalOf = (name) =>
    config.journaled.includes(name)
      ? fileJournal(join(config.folder, 'journals', name), self, { buffer: 1 })
      : undefined;
  const shop = locks({
    self,
    peers,
    protocol: protocolOf(protocol),
    transport: protocol.reliable ? reliably(transport) : transport,
    onError,
    journal: journalOf,
    ...(protocol.kill && { storage: (name) => fileStorage(join(data, name)) }),
  });
  return {
    locks: new Map(names.map((name) => [name, shop.open(name)])),
    jobs: new Map(jobs.map((name) => [name, shop.open(name)])),
    counts,
    close: () => shop.close(),
  };
}

/** Leases in rows. That their store is down is no error: it is killed. */
async function openRows({ self, names, medium, address, protocol }, { onError, onStatus }) {
  const onDown = () => onStatus({ state: 'down' });
  const { store, close } = await media[medium].store(address, onDown);
  const told = (error) => (error.code === 'unavailable' ? onDown() : onError(error));
  const { lease } = protocol;
  const open = (name) => lock({ store, name, self, lease, onError: told });
  const opened = new Map(names.map((name) => [name, open(name)]));
  return {
    ...{ locks: opened, jobs: new Map(), counts: () => ({}) },
    async close() {
      for (const its of opened.values()) await its.close();
      await close();
    },
  };
}

/** The lock of a process beside servers: of one of them, or of one of their clients. */
async function openServed(config, { onError, onStatus }) {
  const { self, names, protocol } = config;
  const { servers } = protocol;
  const peers = servers.filter((node) => node !== self);
  const isClient = !servers.includes(self);
  let counts;
  const open = async (name) => {
    const clients = !isClient;
    const opened = await openTransport(config, onStatus, { self: name, peers, isClient, clients });
    counts = opened.counts;
    return opened.transport;
  };
  const common = { self, onError };
  const its = isClient
    ? await lockClient({ ...common, servers, transport: open, protocol: protocolOf(protocol) })
    : lock(protocolOf(protocol), {
        ...{ ...common, peers: servers, clients: true, transport: await open(self) },
        storage: fileStorage(join(config.data, self, 'lock')),
      });
  return onlyOne(names, its, () => counts());
}

/** The lock of a process whose node lives in a worker thread: its only one. */
async function openWatched(config, { onError, onStatus }) {
  const { watch, ...protocol } = config.protocol;
  const worker = new Worker(new URL(import.meta.url), {
    workerData: { torture: { ...config, protocol } },
  });
  let counts = {};
  worker.on('message', ({ type, error, status, counts: told }) => {
    if (type !== 'torture') return;
    if (error) onError(error);
    if (status) onStatus(status);
    if (told) counts = told;
  });
  return onlyOne(config.names, await workerLock(worker, watch), () => counts);
}

const onlyOne = ([name], its, counts) => ({
  ...{ locks: new Map([[name, its]]), jobs: new Map(), counts },
  close: () => its.close(),
});

/** A transport that loses, duplicates and delays what is sent over it, with counters. */
function lossy(transport, { loss, duplication, delay }, random) {
  const counts = { sent: 0, received: 0, lost: 0, duplicated: 0, delayed: 0 };
  let closed = false;
  const hand = (to, message) => {
    if (closed) return;
    if (random.chance(delay)) {
      counts.delayed++; // later messages overtake it
      setTimeout(() => !closed && transport.send(to, message), between(random, 1, 20));
    } else transport.send(to, message);
  };
  const lossyTransport = {
    self: transport.self,
    guarantees: { ...transport.guarantees, order: 'any', loss: true, duplication: true },
    received$: transport.received$.pipe(tap(() => counts.received++)),
    errors$: transport.errors$,
    status$: transport.status$,
    peers$: transport.peers$,
    get refused() {
      return transport.refused;
    },
    admitted: transport.admitted,
    clients: transport.clients,
    send(to, message) {
      counts.sent++;
      if (random.chance(loss)) {
        counts.lost++;
        return;
      }
      hand(to, message);
      if (random.chance(duplication)) {
        counts.duplicated++;
        hand(to, message);
      }
    },
    close() {
      closed = true;
      return transport.close();
    },
    [Symbol.asyncDispose]: () => lossyTransport.close(),
  };
  return { transport: lossyTransport, counts };
}

/** The node in that thread. */
async function serve(config) {
  const tell = (what) => parentPort.postMessage({ type: 'torture', ...what });
  const { locks, counts } = await openLocks(config, {
    onError: ({ code, message }) => tell({ error: { code, message } }),
    onStatus: ({ state }) => tell({ status: { state } }),
  });
  setInterval(() => tell({ counts: counts() }), 100).unref();
  const [[, lock]] = locks;
  serveLock(lock);
}

if (workerData?.torture) await serve(workerData.torture);
