/** One part of what a program does that embeds Conclave: `runtimes.run.mjs <subject>`. */
import { deepEqual, equal, fail, ok, throws } from 'node:assert/strict';
import { fork, spawnSync } from 'node:child_process';
import { once as event } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parentPort, Worker, workerData } from 'node:worker_threads';
import { ricartAgrawala } from '@conclave/algorithms';
import { conform } from '@conclave/check/conform';
import { lock } from '@conclave/coordination';
import { fileStore } from '@conclave/coordination/node';
import { once } from '@conclave/coordination/once';
import * as embedding from '@conclave/core/embedding';
import { fileJournal, fileStorage } from '@conclave/core/embedding/node';
import { complete } from '@conclave/core/topology';
import { ipcHub, ipcTransport } from '@conclave/transport-ipc';
import { natsTransport } from '@conclave/transport-nats';
import { redisTransport } from '@conclave/transport-redis';
import { tcpTransport } from '@conclave/transport-tcp';
import { webSocketTransport } from '@conclave/transport-websocket';
import { relay } from '@conclave/transport-websocket/relay';

const [subject = 'thread', ...words] = process.argv.slice(2);
const { PORTS = '', DATA = '' } = process.env;
const ports = PORTS.split(',').map(Number);
const names = ['a', 'b', 'c'];
const memory = embedding.memoryNetwork(names);
/** A process that starts late, as on a busy machine, is told of, and is no failure. */
const onError = (error) => error.code === 'timed-out' || fail(error);
const start = (...args) => fork(fileURLToPath(import.meta.url), args);

function lockOf(self, transport) {
  const storage = embedding.memoryStorage();
  return lock({ tolerate: 'crash', self, nodes: names, transport, storage, onError });
}

const placeOf = (self) => ({ self, peers: names.filter((id) => id !== self), network: 'runtimes' });

const locksOver = (transportOf) =>
  Promise.all(names.map(async (self) => lockOf(self, await transportOf(placeOf(self)))));

async function enterOver(transportOf) {
  const locks = await locksOver(transportOf);
  let [inside, last] = [0, 0];
  const work = async ({ fencingToken }) => {
    equal(++inside, 1);
    ok(fencingToken > last);
    last = fencingToken;
    await sleep(1);
    inside--;
  };
  await Promise.all([...locks, ...locks, ...locks].map((each) => each.run(work)));
  await Promise.all(locks.map((each) => each.close()));
}

/** Stopped first, it leaves something unread. */
async function kill(pid) {
  process.kill(pid, 'SIGSTOP');
  await sleep(500);
  process.kill(pid, 'SIGKILL');
}

const lives = (pid) => spawnSync('kill', ['-0', String(pid)]).status === 0;

const subjects = {
  tcp: () =>
    enterOver(({ self, network }) => {
      const all = Object.fromEntries(names.map((id, index) => [id, { port: ports[index] }]));
      const { [self]: listen, ...peers } = all;
      return tcpTransport({ self, network, listen, peers });
    }),
  nats: () => enterOver((node) => natsTransport({ ...node, servers: `127.0.0.1:${ports[0]}` })),
  redis: () =>
    enterOver((node) => redisTransport({ ...node, url: `redis://127.0.0.1:${ports[0]}` })),
  websocket: () =>
    relay({ port: ports[0] }).then(({ url }) =>
      enterOver((node) => webSocketTransport({ ...node, url })),
    ),
  threads: async () => {
    const workers = Object.entries(embedding.portsBetween(names)).map(([self, its]) => {
      const options = { workerData: { self, its }, transferList: Object.values(its), argv: [] };
      return new Worker(new URL(import.meta.url), options);
    });
    const tokens = await Promise.all(workers.map((worker) => event(worker, 'message')));
    equal(new Set(tokens.flat(2)).size, 15);
  },
  ipc: async () => {
    const parent = start('ipc-parent');
    const [child] = await event(parent, 'message');
    await kill(parent.pid);
    for (let tries = 0; lives(child) && tries < 300; tries++) await sleep(100);
    equal(lives(child) && process.kill(child, 'SIGKILL'), false, 'a child outlives its parent');
  },
  storage: async () => {
    const path = join(DATA, 'a');
    const child = start('storage-writer', path);
    await event(child, 'message');
    throws(() => fileStorage(path), /is used by process/);
    child.kill('SIGKILL');
    await event(child, 'exit');
    deepEqual(fileStorage(path).read(), { incarnation: 7 });
  },
  journal: async () => {
    const nodes = names.map((self) => {
      const options = { self, nodes: names, transport: memory.transport(self), onError };
      return lock(ricartAgrawala, { ...options, journal: fileJournal(DATA, self) });
    });
    for (const node of nodes) await node.run(() => sleep(1));
    for (const node of nodes) await node.close();
    const textOf = (name) => readFileSync(join(DATA, name), 'utf8');
    const journals = readdirSync(DATA).map((name) => ({ name, text: textOf(name) }));
    const { verdict, complaints } = conform(ricartAgrawala, complete(names), journals);
    deepEqual([verdict, complaints], ['conforms', []]);
  },
  once: async () => {
    const ticks = [];
    const options = { store: fileStore(DATA), catchUp: 'all', onError };
    const run = ({ tick }) => sleep(1, ticks.push(tick.getTime()));
    for (const leader of await locksOver(({ self }) => memory.transport(self)))
      once(leader, 'report', { every: '100ms' }, run, options);
    while (ticks.length < 5) await sleep(20);
    const [first] = ticks;
    for (const [index, tick] of ticks.entries()) equal(tick, first + 100 * index);
  },
};

/** The other processes and threads. */
const parts = {
  thread: async () => {
    const { self, its } = workerData;
    const node = lockOf(self, embedding.messagePortTransport(self, its));
    const tokens = [];
    for (let n = 0; n < 5; n++) await node.run(({ fencingToken }) => tokens.push(fencingToken));
    parentPort.postMessage(tokens);
  },
  'ipc-parent': async () => {
    const hub = ipcHub();
    const children = [start('ipc-node', 'b'), start('ipc-node', 'c')];
    for (const [index, child] of children.entries()) hub.add('bc'[index], child);
    const mine = await hub.transport(placeOf('a'));
    const came = new Set();
    const gone = new Promise((resolve) =>
      mine.peers$.subscribe(({ peer, reachable }) => {
        if (reachable) came.add(peer);
        else if (came.has(peer)) resolve(peer);
      }),
    );
    lockOf('a', mine);
    await Promise.all(children.map((child) => event(child, 'message')));
    await kill(children[1].pid);
    equal(await gone, 'c');
    process.send(children[0].pid);
  },
  'ipc-node': async (self) => {
    const node = lockOf(self, await ipcTransport(placeOf(self)));
    await node.run(() => process.send('it has entered'));
    for (;;) await node.run(() => sleep(1));
  },
  'storage-writer': async (path) => {
    fileStorage(path).write({ incarnation: 7 });
    process.send('written');
    await sleep(100_000);
  },
};

setTimeout(fail, 300_000, 'it does not end in five minutes').unref();
if (parts[subject]) await parts[subject](...words);
else {
  await subjects[subject]();
  console.log('ok');
  process.exit(0);
}
