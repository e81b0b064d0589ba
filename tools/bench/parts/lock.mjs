/**
 * Acquire and release among five processes: Conclave's locks beside those of servers, and a lease in a
 * row of a server beside what is there for it, in turns, each in processes of its own. Alone: one
 * process enters, the others are idle. All: all enter as often as they can.
 */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { freePort, startServer } from '@conclave/core/internal/servers';
import { figure, inFolder, rowsInTurns } from '../measured.mjs';
import { startPostgres } from '../postgres.mjs';

const runner = fileURLToPath(new URL('lock.run.mjs', import.meta.url));
const nodes = ['n1', 'n2', 'n3', 'n4', 'n5'];
/** The name of the system, where it is no server. */
const processes = `${nodes.length} processes`;

/** How many of the others an entry waits for; by default for one. */
const answersOf = { leasedMajority: 'half', ricartAgrawala: 'all' };

/** A lock of this repository. `more` may have `options` of its protocol. */
const ours = (tool, protocol, medium, more = {}) => ({
  ...{ tool, open: 'conclave', protocol, medium, ...more },
  answers: answersOf[protocol] ?? 'one',
  servers: medium === 'nats' ? ['nats'] : [],
});
const leased = (kind, more, medium = 'tcp') =>
  ours(`leasedMajority over ${medium}${kind}`, 'leasedMajority', medium, more);

const lossless = { isReliable: true };
const disk = { isDurable: true };
/** Longer than a measurement: only another node that asks ends it. */
const keep = 60_000;
/** How often in a row a node may enter before others. */
const greedy = 50;

/** What is measured, in the order of the table. */
const locks = [
  { tool: 'redis-semaphore', open: 'redis-semaphore', servers: ['redis'] },
  { tool: 'Postgres advisory lock', open: 'postgres', servers: ['postgres'] },
  { tool: 'etcd', open: 'etcd', servers: ['etcd'] },
  ours('naimiTrehel over tcp', 'naimiTrehel', 'tcp', lossless),
  ours(`naimiTrehel over tcp, greedy ${greedy}`, 'naimiTrehel', 'tcp', {
    ...lossless,
    options: { greedy },
  }),
  ours('raymond over tcp', 'raymond', 'tcp', { ...lossless, isStar: true }),
  ours('ricartAgrawala over tcp', 'ricartAgrawala', 'tcp', lossless),
  leased(''),
  leased(', on disk', disk),
  leased(', on disk, with a journal', { ...disk, hasJournal: true }),
  leased(', on disk', disk, 'nats'),
  leased(', on disk, keep', { ...disk, options: { keep } }),
  leased(`, on disk, keep, greedy ${greedy}`, { ...disk, options: { keep, greedy } }),
  { ...ours('lockClient over tcp, on disk', 'leasedMajority', 'tcp', disk), open: 'client' },
];

/** By the server, what is measured beside a row of it. */
const peers = {
  redis: { 'redis-semaphore': 'redis-semaphore', redlock: 'redlock' },
  postgres: { 'advisory lock': 'postgres' },
  nats: { 'key by hand': 'nats-kv' },
};
const rows = Object.entries(peers).flatMap(([server, its]) =>
  Object.entries({ ...its, 'lock({ store })': 'row' }).map(([name, open]) => ({
    ...{ tool: `${server}: ${name}`, open, system: server, server, servers: [server] },
  })),
);

export const lock = (context) => measuredInTurns(locks, context);
export const row = (context) => measuredInTurns(rows, context);

async function measuredInTurns(locks, { runs, quick, note, progress, failed }) {
  const names = [...new Set(locks.flatMap((lock) => lock.servers))];
  const missing = new Set();
  const servers = await startServers(names, (name, error) => {
    missing.add(name);
    const left = locks.filter((lock) => lock.servers.includes(name)).map(({ tool }) => tool);
    const text = `Left out: ${left.join('; ')}. ${error.message}`;
    note(text);
    console.error(text);
  });
  const seconds = quick ? 0.3 : 0.8;
  const found = locks.filter((lock) => !lock.servers.some((name) => missing.has(name)));
  try {
    const tools = found.map((lock) => ({
      name: lock.tool,
      runs,
      measure: () => measureOnce({ ...lock, urls: servers.urls }, seconds),
    }));
    return await rowsInTurns(tools, { progress, failed }, (tool, results) => ({
      system: locks.find((lock) => lock.tool === tool)?.system ?? processes,
      tool,
      figures: figuresOf(results),
    }));
  } finally {
    await servers.close();
  }
}

const units = {
  cold: 'alone and cold, entries a second',
  alone: 'alone, entries a second',
  empty: 'alone and empty, entries a second',
  all: 'all, entries a second',
  p50: 'p50, ms',
  p99: 'p99, ms',
  longest: 'longest, ms',
  least: 'least, a second',
  most: 'most, a second',
  roundTrip: 'round trip, ms',
  trips: 'alone, round trips',
};

const figuresOf = (results) =>
  Object.fromEntries(
    Object.entries(units).map(([key, unit]) => [unit, figure(results.map((one) => one[key]))]),
  );

let measurements = 0;

/** One measurement of a lock: one process alone, then all. */
const measureOnce = (lock, seconds) =>
  inProcesses(lock, async (children) => {
    const [first] = children;
    const [cold] = await ask([first], 'first', seconds / 2);
    await ask([first], 'warm', 5 * seconds);
    const [{ roundTrip }] = await ask([first], 'trips', seconds / 2);
    const [alone] = await ask([first], 'enter', seconds);
    const [empty] = await ask([first], 'empty', seconds / 2);
    await ask(children, 'warm', 5 * seconds);
    const together = await ask(children, 'enter', seconds);
    return { ...figuresAlone(cold, alone, empty, roundTrip), ...figuresTogether(together) };
  });

/** Calls `use` with processes of their own, on a network of their own. */
const inProcesses = ({ servers: _, tool: __, ...lock }, use) =>
  inFolder(async (folder) => {
    const number = ++measurements;
    const network = `bench${process.pid}-${number}`;
    const common = {
      ...{ ...lock, nodes, network, number, folder },
      ports: await freePorts(),
      pingPorts: await freePorts(),
    };
    const children = nodes.map((self) => {
      const config = { ...common, self, peers: nodes.filter((id) => id !== self) };
      return fork(runner, [JSON.stringify(config)], {
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      });
    });
    try {
      await answers(children, 'ready');
      return await use(children);
    } finally {
      for (const child of children) child.kill('SIGKILL');
    }
  });

const byValue = (a, b) => a - b;
const shareOf = (sorted, share) =>
  sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];

function figuresAlone(cold, { waits, seconds }, empty, roundTrip) {
  return {
    cold: cold.entries / cold.seconds,
    alone: waits.length / seconds,
    empty: empty.entries / empty.seconds,
    roundTrip,
    trips: shareOf(waits.sort(byValue), 0.5) / roundTrip,
  };
}

function figuresTogether(results) {
  const waits = results.flatMap((result) => result.waits).sort(byValue);
  const rates = results.map((result) => result.waits.length / result.seconds);
  return {
    all: rates.reduce((sum, rate) => sum + rate, 0),
    p50: shareOf(waits, 0.5),
    p99: shareOf(waits, 0.99),
    longest: waits.at(-1),
    least: Math.min(...rates),
    most: Math.max(...rates),
  };
}

function ask(children, type, seconds) {
  const all = answers(children, type);
  for (const child of children) child.send({ type, seconds });
  return all;
}

/**
 * The next message of this type from each child; fails when one of them ends, or tells an error, or
 * a minute is over.
 */
function answers(children, type) {
  const next = (child) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`a process said no '${type}' within a minute`)),
        60_000,
      );
      const end = (settle) => (value) => {
        clearTimeout(timer);
        child.off('message', onMessage);
        child.off('exit', onExit);
        settle(value);
      };
      const [good, bad] = [end(resolve), end(reject)];
      const onMessage = (message) => {
        if (message.type === type) good(message);
        else if (message.type === 'failed') bad(new Error(message.why));
      };
      const onExit = (code, signal) => bad(new Error(`a process ended with ${signal ?? code}`));
      child.on('message', onMessage);
      child.on('exit', onExit);
    });
  return Promise.all(children.map(next));
}

async function freePorts() {
  return Object.fromEntries(await Promise.all(nodes.map(async (id) => [id, await freePort()])));
}

// The servers that the locks of the benchmark need, each with its defaults and its files in a
// temporary folder.

/** By the name of the server: starts it, and resolves with `{ url, close }`. */
const starts = {
  nats: () => startServer('nats-server', { args: ['--jetstream'] }),
  redis: () => startServer('redis-server'),
  etcd: () => startServer('etcd'),
  postgres: startPostgres,
};

/**
 * Starts those that can be started. `missing` gets the name of each other one, and how to get it.
 */
export async function startServers(names, missing) {
  const servers = new Map();
  for (const name of names)
    try {
      servers.set(name, await starts[name]());
    } catch (error) {
      missing(name, error);
    }
  return {
    urls: Object.fromEntries([...servers].map(([name, { url }]) => [name, url])),
    close: () => Promise.all([...servers.values()].map((server) => server.close())),
  };
}
