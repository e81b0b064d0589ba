/**
 * Acquire and release among processes: Conclave's locks over NATS, Redis and TCP, beside redlock,
 * redis-semaphore and a lock on NATS KV, on the same servers in the same run. Alone: one process
 * enters, the others are idle. Contended: all enter as often as they can.
 */
import { fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../../packages/core/dist/embedding/testing/free-port.js';
import {
  missingServer,
  startServer,
} from '../../../packages/core/dist/embedding/testing/servers.js';
import { figure } from '../measured.mjs';

const runner = fileURLToPath(new URL('lock.run.mjs', import.meta.url));

/** How often in a row a node may enter before its turn: docs say why so many. */
const greedy = 20;

/** How it is made, and how many round trips its critical path has without contention. */
const locks = [
  { name: 'redis-semaphore', kind: 'redis-semaphore', server: 'redis' },
  { name: 'redlock, one server', kind: 'redlock', server: 'redis' },
  { name: 'NATS KV', kind: 'nats-kv', server: 'nats' },
  ...['redis', 'nats', 'tcp'].flatMap((medium) => [
    { name: `leasedMajority over ${medium}`, kind: 'leased-majority', server: medium },
    {
      name: `leasedMajority over ${medium}, on disk`,
      kind: 'leased-majority',
      server: medium,
      durable: true,
    },
    { name: `ricartAgrawala over ${medium}`, kind: 'ricart-agrawala', server: medium },
    { name: `naimiTrehel over ${medium}`, kind: 'naimi-trehel', server: medium },
    { name: `naimiTrehel over ${medium}, greedy ${greedy}`, kind: 'naimi-trehel', server: medium, greedy },
  ]),
];

export async function measure({ runs, quick, note, progress, failed }) {
  const missing = [missingServer('nats-server'), missingServer('redis-server')].filter(Boolean);
  if (missing.length > 0) {
    note(missing.join(' '));
    return [];
  }
  const nats = await startServer('nats-server', { args: ['-js'] });
  const redis = await startServer('redis-server');
  try {
    return await measureOn({ nats: nats.url, redis: redis.url }, { runs, quick, progress, failed });
  } finally {
    await Promise.all([nats.close(), redis.close()]);
  }
}

async function measureOn(urls, { quick, ...options }) {
  const seconds = quick ? 1 : 2;
  const rows = [];
  for (const processes of quick ? [2, 5] : [2, 5, 20])
    for (const contended of [false, true])
      rows.push(...(await measureSystem({ processes, contended, urls, seconds }, options)));
  return rows;
}

/** The rows of all locks in one system, measured in turns. */
async function measureSystem(system, { runs, progress, failed }) {
  const title = `${system.processes} processes, ${system.contended ? 'contended' : 'alone'}`;
  const found = locks.map((lock) => ({ lock, results: [] }));
  for (let turn = 1; turn <= runs; turn++)
    for (const { lock, results } of found) {
      progress(`${title}: ${lock.name}, ${turn} of ${runs}`);
      try {
        results.push(await once({ ...lock, ...system }));
      } catch (error) {
        failed(`${lock.name}, ${title}`, error);
        break;
      }
    }
  return found.flatMap(({ lock, results }) =>
    results.length > 0 ? [{ system: title, tool: lock.name, figures: figuresOf(results) }] : [],
  );
}

function figuresOf(results) {
  const of = (key) => figure(results.map((result) => result[key]));
  return {
    'p50, ms': of('p50'),
    'p99, ms': of('p99'),
    'longest, ms': of('longest'),
    'entries a second': of('entries'),
    'least / most': of('share'),
    'round trip, ms': of('roundTrip'),
    'round trips': figure(results.map(({ p50, roundTrip }) => p50 / roundTrip)),
  };
}

let networks = 0;

/** One measurement: processes of their own, on a network of their own. */
async function once({ kind, server, durable = false, greedy = 0, processes, contended, urls, seconds }) {
  const nodes = Array.from({ length: processes }, (_, index) => `n${index + 1}`);
  const folder = mkdtempSync(join(tmpdir(), 'conclave-bench-'));
  const ports = server === 'tcp' ? await freePorts(nodes) : {};
  const network = `bench${process.pid}-${++networks}`;
  const children = nodes.map((self) =>
    fork(
      runner,
      [JSON.stringify({ kind, server, durable, greedy, self, nodes, ports, urls, network, folder })],
      {
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      },
    ),
  );
  try {
    await all(children, 'ready');
    const [first] = children;
    const warm = all([first], 'warm');
    first.send({ type: 'warm' });
    const [{ roundTrip }] = await warm;
    const active = contended ? children : [first];
    const done = all(active, 'done');
    for (const child of active) child.send({ type: 'go', seconds });
    const results = await done;
    const waits = results.flatMap((result) => result.waits).sort((a, b) => a - b);
    if (waits.length === 0) throw new Error('nobody entered');
    const at = (share) => waits[Math.min(waits.length - 1, Math.floor(share * waits.length))];
    const counts = results.map((result) => result.waits.length / result.seconds);
    const share = Math.min(...counts) / Math.max(...counts);
    return {
      p50: at(0.5),
      p99: at(0.99),
      longest: waits.at(-1),
      share,
      entries: results.reduce((sum, result) => sum + result.waits.length / result.seconds, 0),
      roundTrip,
    };
  } finally {
    for (const child of children) child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * The next message of this type from each child; fails when one of them ends, or tells an error, or
 * a minute is over.
 */
function all(children, type) {
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

async function freePorts(nodes) {
  return Object.fromEntries(await Promise.all(nodes.map(async (id) => [id, await freePort()])));
}
