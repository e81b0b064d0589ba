/**
 * `node tools/bench/queue.mjs`: what a queue costs. The same sweep with the threads of one process,
 * and with as many threads of a worker over a queue, in turns; user and system CPU of all processes
 * but the server, and the time. Not a part of `npm run bench`: it takes ten minutes.
 *
 * --seconds N  how long a shard takes. Default 60
 * --shards N   into how many shards the sweep is divided. Default 4
 * --threads N  Default: the cores of this machine
 * --rounds N   Default 2
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startServer } from '@conclave/core/internal/servers';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    shards: { type: 'string', default: '4' },
    threads: { type: 'string', default: String(availableParallelism()) },
    rounds: { type: 'string', default: '2' },
  },
});
const { seconds, shards, threads, rounds } = values;
const command = fileURLToPath(new URL('../../packages/cli/bin/conclave.js', import.meta.url));
/** Says at the end how much CPU the process with all its threads has used, in microseconds. */
const meter = `data:text/javascript,${encodeURIComponent(`
import { isMainThread } from 'node:worker_threads';
if (isMainThread) process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  process.stderr.write('\\ncpu ' + (user + system) + '\\n');
});`)}`;

const sweep = (seeds) => [
  ...['simulate', 'A3', '--topology', 'complete:7', '--entries', '10', '--json'],
  ...['--seeds', `1..${seeds}`],
];
const few = 200;
await measured(sweep(few)).ended; // files are in the cache
const [short, long] = [await measured(sweep(few)).ended, await measured(sweep(10 * few)).ended];
const costOfSeed = (long.cpu - short.cpu) / (9 * few);
const seeds = Math.round((Number(seconds) / costOfSeed) * Number(shards));
console.log(`${seeds} seeds, ${shards} shards of ${seconds} s CPU, ${threads} threads\n`);

const server = await startServer('nats-server', { args: ['-js'] });
const ratios = [];
try {
  for (let round = 1; round <= Number(rounds); round++) {
    const plain = await measured([...sweep(seeds), '--workers', threads]).ended;
    const queued = await overQueue();
    if (plain.stdout !== queued.stdout) throw new Error('The queue gives another result');
    ratios.push(queued.cpu / plain.cpu);
    console.log(`round ${round}  threads  ${text(plain)}`);
    console.log(`         queue    ${text(queued)}  CPU × ${(queued.cpu / plain.cpu).toFixed(3)}`);
  }
} finally {
  await server.close();
}
console.log(`\nCPU over a queue: × ${Math.min(...ratios).toFixed(3)} of that of threads, at least`);

async function overQueue() {
  const worker = measured(['worker', '--queue', server.url, '--workers', threads]);
  const submitted = await measured([...sweep(seeds), '--queue', server.url, '--shards', shards])
    .ended;
  worker.child.kill('SIGINT');
  const { cpu } = await worker.ended;
  return { ...submitted, cpu: submitted.cpu + cpu };
}

function measured(argv) {
  const start = performance.now();
  const child = spawn(process.execPath, ['--import', meter, command, ...argv]);
  const out = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'])
    child[name].setEncoding('utf8').on('data', (chunk) => {
      out[name] += chunk;
    });
  const ended = once(child, 'close').then(() => {
    const [, cpu] = /^cpu (\d+)$/m.exec(out.stderr) ?? [];
    if (cpu === undefined) throw new Error(`conclave ${argv.join(' ')} fails: ${out.stderr}`);
    return { ...out, cpu: Number(cpu) / 1e6, seconds: (performance.now() - start) / 1000 };
  });
  return { child, ended };
}

function text({ cpu, seconds: wall }) {
  return `${cpu.toFixed(1)} s CPU, ${wall.toFixed(1)} s`;
}
