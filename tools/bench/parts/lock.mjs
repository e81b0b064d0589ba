/**
 * Acquire and release among five processes: Conclave's locks beside those of servers, in turns,
 * each in processes of its own. Alone: one process enters, the others are idle. All: all enter as
 * often as they can.
 */
import { fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../../packages/core/dist/embedding/testing/free-port.js';
import { locks } from '../locks/list.mjs';
import { startServers } from '../locks/servers.mjs';
import { figure, inTurns } from '../measured.mjs';

const runner = fileURLToPath(new URL('lock.run.mjs', import.meta.url));
const nodes = ['n1', 'n2', 'n3', 'n4', 'n5'];
const system = `${nodes.length} processes`;

export async function measure({ runs, quick, note, progress, failed }) {
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
    const results = await inTurns(
      found.map((lock) => ({
        name: lock.tool,
        runs,
        measure: () => once({ ...lock, urls: servers.urls }, seconds),
      })),
      { progress, failed },
    );
    return found.flatMap(({ tool }, index) =>
      results[index].length === 0 ? [] : [{ system, tool, figures: figuresOf(results[index]) }],
    );
  } finally {
    await servers.close();
  }
}

function figuresOf(results) {
  const of = (key) => figure(results.map((result) => result[key]));
  return {
    'alone and cold, entries a second': of('cold'),
    'alone, entries a second': of('alone'),
    'alone and empty, entries a second': of('empty'),
    'all, entries a second': of('all'),
    'p50, ms': of('p50'),
    'p99, ms': of('p99'),
    'longest, ms': of('longest'),
    'least, a second': of('least'),
    'most, a second': of('most'),
    'round trip, ms': of('roundTrip'),
    'alone, round trips': of('trips'),
  };
}

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

/** Where the first process spends its time while it enters alone: see lock.run.mjs. */
export const profileOf = (lock, seconds) =>
  among(lock, async ([first]) => {
    await ask([first], 'warm', 2 * seconds);
    const [{ shares }] = await ask([first], 'profile', seconds);
    return shares;
  });

/** Processes of their own, on a network of their own. */
async function among({ servers: _, tool: __, ...lock }, use) {
  const folder = mkdtempSync(join(tmpdir(), 'conclave-bench-'));
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
    rmSync(folder, { recursive: true, force: true });
  }
}

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
