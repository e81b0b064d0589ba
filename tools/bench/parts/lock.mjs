/**
 * Acquire and release among five processes: Conclave's locks beside those of servers, in turns,
 * each in processes of its own. Alone: one process enters, the others are idle. All: all enter as
 * often as they can.
 */
import { execFileSync, fork, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort, startServer } from '@conclave/core/internal/servers';
import { figure, inFolder, rowsInTurns } from '../measured.mjs';

const runner = fileURLToPath(new URL('lock.run.mjs', import.meta.url));
const nodes = ['n1', 'n2', 'n3', 'n4', 'n5'];
const system = `${nodes.length} processes`;

/** A lock of this repository. `more` may have `options` of its protocol. */
const ours = (tool, protocol, medium, more = {}) => ({
  ...{ tool, open: 'conclave', protocol, medium, ...more },
  majority: protocol === 'leasedMajority',
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

export async function lock({ runs, quick, note, progress, failed }) {
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
      measure: () => once({ ...lock, urls: servers.urls }, seconds),
    }));
    return await rowsInTurns(tools, { progress, failed }, (tool, results) => ({
      system,
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

/** One measurement. */
const once = (lock, seconds) =>
  among(lock, async (children) => {
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

/** Processes of their own, on a network of their own. */
const among = ({ servers: _, tool: __, ...lock }, use) =>
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
// temporary folder. Those of NATS and Redis are the servers of the tests.

/** By the name of the server: starts it, and resolves with `{ url, close }`. */
const starts = {
  nats: () => startServer('nats-server'),
  redis: () => startServer('redis-server'),
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

/** @throws where it is not installed */
export async function startPostgres() {
  const bin = folderOfPostgres();
  if (!bin) throw new Error('postgres is not installed. Try: apt-get install postgresql');
  const folder = mkdtempSync(join(tmpdir(), 'conclave-postgres-'));
  const port = await freePort();
  const options = {};
  if (process.getuid?.() === 0) {
    // it refuses to run as root: take the user that its package has made
    const idOf = (flag) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
    Object.assign(options, { uid: idOf('-u'), gid: idOf('-g') });
    chownSync(folder, options.uid, options.gid);
  }
  const data = join(folder, 'data');
  execFileSync(
    join(bin, 'initdb'),
    ['--pgdata', data, '--username', 'bench', '--auth', 'trust', '--no-sync'],
    { ...options, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const settings = ['-D', data, '-k', folder, '-p', port, '-c', 'listen_addresses=127.0.0.1'];
  const close = await started(join(bin, 'postgres'), settings.map(String), {
    ...{ folder, port, options },
  });
  return { url: `postgres://bench@127.0.0.1:${port}/postgres`, close };
}

/** Where Debian's package puts the newest version, or the folder of one that is on the path. */
export function folderOfPostgres() {
  const packages = '/usr/lib/postgresql';
  const versions = existsSync(packages) ? readdirSync(packages).sort((a, b) => b - a) : [];
  const folders = [
    ...versions.map((version) => join(packages, version, 'bin')),
    ...(process.env.PATH ?? '').split(':'),
  ];
  return folders.find((folder) => existsSync(join(folder, 'initdb')));
}

/** A process that accepts connections on its port within 20 s. Resolves with what ends it. */
async function started(program, args, { folder, port, options }) {
  let said = '';
  const child = spawn(program, args, {
    ...options,
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  child.stderr.on('data', (text) => {
    said = `${said}${text}`.slice(-1000);
  });
  const end = () => child.kill('SIGINT'); // its processes end with it
  process.once('exit', end);
  const hasEnded = new Promise((resolve) => child.once('close', resolve));
  const close = async () => {
    end();
    await hasEnded;
    process.off('exit', end);
    rmSync(folder, { recursive: true, force: true });
  };
  for (const until = Date.now() + 20_000; !(await accepts(port)); ) {
    if (child.exitCode !== null || Date.now() > until) {
      await close();
      throw new Error(`${program} does not start: ${said.trim()}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return close;
}

function accepts(port) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
