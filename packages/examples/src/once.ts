/**
 * Five processes share a job that is due ten times a second. The process that runs it is killed
 * twenty times, and started again. Then all ticks are checked: none was done twice, and none is
 * missing but those whose run was cut short by a kill, as the next process has told.
 */
import { fork } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { leasedMajority } from '@conclave/algorithms/leased-majority';
import { lock } from '@conclave/coordination/lock';
import { fileStore } from '@conclave/coordination/node';
import { once } from '@conclave/coordination/once';
import { fileStorage } from '@conclave/core/embedding/node';
import { tcpTransport } from '@conclave/transport-tcp';

const names = ['a', 'b', 'c', 'd', 'e'];
const every = 100;

/** One of the five. */
async function work(self: string, folder: string, ports: readonly number[]): Promise<void> {
  const all = Object.fromEntries(names.map((name, index) => [name, { port: ports[index] ?? 0 }]));
  const { [self]: listen = { port: 0 }, ...peers } = all;
  const transport = await tcpTransport({ self, network: 'once', listen, peers });
  const shared = lock(leasedMajority({ lease: 1000, cancel: true }), {
    ...{ self, peers: Object.keys(peers), transport },
    storage: fileStorage(join(folder, self)),
  });
  const log = (what: string, tick: Date, token?: number) =>
    appendFileSync(join(folder, 'log'), `${what} ${tick.getTime()} ${self} ${token}\n`);
  const job = once(
    shared,
    'count',
    { every },
    async ({ tick, token, signal }) => {
      await sleep(20, undefined, { signal });
      log('done', tick, token);
    },
    { store: fileStore(join(folder, 'ticks')), catchUp: 'all', onError: () => {} },
  );
  job.event$.subscribe((event) => event.type === 'interrupted' && log('interrupted', event.tick));
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // of a server that listens on a port
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** What, tick, node, token. */
const linesIn = (folder: string): readonly (readonly string[])[] => {
  const file = join(folder, 'log');
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  return text.split('\n').flatMap((line) => (line === '' ? [] : [line.split(' ')]));
};

function check(lines: readonly (readonly string[])[]): string {
  const ticksOf = (kind: string) =>
    lines.flatMap(([what, tick]) => (what === kind ? [Number(tick)] : []));
  const done = ticksOf('done');
  const interrupted = new Set(ticksOf('interrupted'));
  const [first = 0, last = 0] = [done[0], done.at(-1)];
  const due = Array.from({ length: (last - first) / every + 1 }, (_, n) => first + n * every);
  const missing = due.filter((tick) => !done.includes(tick));
  const unexplained = missing.filter((tick) => !interrupted.has(tick));
  const twice = done.length - new Set(done).size;
  if (twice > 0 || unexplained.length > 0) process.exitCode = 1;
  return `${due.length} ticks: ${twice} done twice, ${missing.length} cut short by a kill, ${unexplained.length} lost otherwise`;
}

async function killLeaders(kills: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'conclave-once-'));
  const ports = await Promise.all(names.map(freePort));
  const start = (name: string) =>
    fork(fileURLToPath(import.meta.url), [name, folder, JSON.stringify(ports)]);
  const processes = new Map(names.map((name) => [name, start(name)]));
  for (let kill = 0, seen = 0; ; ) {
    await sleep(kill % 2 ? 130 : 90); // at another moment of the run each time
    const lines = linesIn(folder);
    const leader = lines.at(-1)?.[2] ?? '';
    if (lines.length < seen + 5) continue; // the next one leads, and has run the job
    if (kill === kills) break;
    seen = lines.length;
    processes.get(leader)?.kill('SIGKILL');
    processes.set(leader, start(leader));
    kill++;
  }
  for (const each of processes.values()) each.kill('SIGKILL');
  console.log(`${kills} kills, ${check(linesIn(folder))}`);
  rmSync(folder, { recursive: true });
}

const [self, folder, ports] = process.argv.slice(2);
if (process.send && self && folder && ports) await work(self, folder, JSON.parse(ports));
else await killLeaders(20);
