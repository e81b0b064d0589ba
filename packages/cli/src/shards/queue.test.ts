/** `--queue` and `conclave worker`, on one machine. Workers compute with the built package. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { startServer } from '@conclave/core/internal/servers';
import { proof } from '@conclave/tools/sample';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { describeWithServer } from '../../../core/src/embedding/testing/describe-with-server.contract.js';
import type { TestServer } from '../../../core/src/embedding/testing/servers.js';
import { conclave, fixture, refuses, temporary, words } from '../fixtures/conclave.js';
import { identityOf } from './part.js';
import { openQueue, type Queue, sleep, sweepId } from './queue.js';

const lossy = ['simulate', 'A3', '--topology', 'complete:3', '--loss', '0.02', '--json'];
const command = fileURLToPath(new URL('../../bin/conclave.js', import.meta.url));

refuses('worker', {
  '': 'A worker needs a queue. Give it, as in --queue nats://127.0.0.1:4222.',
  '--queue localhost': "'localhost' is no queue. Write it as nats://127.0.0.1",
  '--queue nats://127.0.0.1:1': 'The queue at nats://127.0.0.1:1 does not answer: ',
});
refuses('simulate A3 --topology complete:3', {
  '--queue nats://x': '--queue is for several runs. Add --seeds',
  '--seeds 1..9 --shards 2': '--shards is for --queue. Add --queue nats://',
  '--seeds 1..9 --shards 10 --queue nats://x':
    '9 seeds cannot be divided into 10 shards. Give 9 shards at most.',
  '--seeds 1..9 --shard 1/2 --queue nats://x':
    '--shard does one part, and --queue all. Leave one of them out.',
});
refuses('mutate A3', {
  '--max-seconds 1 --queue nats://x':
    'What --max-seconds cuts depends on the machine, so that shards do not fit together.',
});

describeWithServer('nats-server', 'conclave worker', () => {
  let server: TestServer;
  let queue: Queue;
  beforeAll(async () => {
    server = await startServer('nats-server', { args: ['-js'] });
    await shortAckWait(server.url);
    queue = await openQueue(server.url);
  });
  afterAll(async () => {
    await queue?.close();
    await server?.close();
  });

  /** A worker in this process; `end` is its Ctrl-C. */
  const worker = () => {
    let isEnded = false;
    const ended = conclave(['worker', '--queue', server.url], { interrupted: () => isEnded });
    return (): typeof ended => {
      isEnded = true;
      return ended;
    };
  };
  const queued = (argv: readonly string[], shards = 4) => [
    ...[...argv, '--queue', server.url, '--shards', String(shards)],
  ];
  const sweepOf = async (argv: readonly string[], of: number) =>
    sweepId(await identityOf(argv, { name: argv[1] ?? '' }), of);
  const until = async (holds: () => Promise<boolean>) => {
    while (!(await holds())) await sleep(20);
  };

  const sameAsAlone = async (argv: readonly string[]) => {
    const whole = await conclave(argv);
    expect(whole.exitCode).toBe(1);
    expect(await conclave(queued(argv))).toEqual(whole);
    const sweep = await sweepOf(argv, 4);
    expect(await queue.done(sweep)).toBeUndefined();
    expect(await queue.queued(sweep)).toEqual(new Set());
  };

  it('does what one process does, byte for byte, and leaves nothing behind', async () => {
    const end = worker();
    await sameAsAlone([...lossy, '--seeds', '1..40']);
    const { exitCode, stdout } = await end();
    expect(exitCode).toBe(130);
    expect(stdout).toBe('4 shards done, 0 of them failed, 0 refused.\n');
  });

  proof('ends a sweep with --fail-fast at the same seed', async () => {
    const [end, endOther] = [worker(), worker()];
    await sameAsAlone([...lossy, '--seeds', '1..40', '--fail-fast']);
    await Promise.all([end(), endOther()]);
  });

  it('refuses another source, and says so to both; Ctrl-C empties the queue', async () => {
    const path = temporary('mine.mjs', mine('1'));
    const argv = ['simulate', path, '--topology', 'ring:2', '--seeds', '1..4', '--json'];
    const sweep = await sweepOf(argv, 2);
    let isInterrupted = false;
    let told = '';
    const submitted = conclave(queued(argv, 2), {
      interrupted: () => isInterrupted,
      stderr: (text) => {
        told += text;
      },
    });
    await until(async () => (await queue.queued(sweep)).size === 2);
    writeFileSync(path, mine('2'));
    const end = worker();
    await until(async () => told.includes('a worker refuses'));
    isInterrupted = true;
    expect(await submitted).toEqual({ exitCode: 130, stdout: '', stderr: '' });
    const why = /source of the module or network '\w+' instead of '\w+'/.source;
    expect(told).toMatch(
      new RegExp(`^note: a worker refuses: .*, process ${process.pid}: ${why}$`, 'm'),
    );
    expect(told).toContain(
      'incomplete: interrupted after 0 of 2 shards. The queue is empty; the results stay for a week, and the same command goes on with them.\n',
    );
    expect(await queue.queued(sweep)).toEqual(new Set());
    expect((await end()).stderr).toMatch(new RegExp(`^refused: shard \\d/2 of \\w+: ${why}$`, 'm'));
  });

  proof('fails as one process does', async () => {
    const path = temporary('mine.mjs', mine("(() => { throw new Error('no idea'); })()"));
    const argv = ['simulate', path, '--topology', 'ring:2', '--seeds', '1..4', '--json'];
    const whole = await conclave(argv);
    expect(whole.stderr).toMatch(/^error: .*no idea/);
    const end = worker();
    expect(await conclave(queued(argv, 1))).toEqual(whole);
    expect((await end()).stdout).toBe('1 shard done, 1 of them failed, 0 refused.\n');
  });

  proof('goes on where an interrupted command has stopped', async () => {
    const argv = ['mutate', fixture('client-server.js'), '--json'];
    const whole = await conclave(argv);
    const sweep = await sweepOf(argv, 12);
    const interrupted = conclave(queued(argv, 12), {
      interrupted: () => isInterrupted,
    });
    let isInterrupted = false;
    const end = worker();
    await until(async () => ((await queue.done(sweep))?.size ?? 0) > 2);
    isInterrupted = true;
    expect((await interrupted).exitCode).toBe(130);
    expect(await conclave(queued(argv, 12))).toEqual(whole);
    const { stdout } = await end();
    expect(stdout).toBe('12 shards done, 0 of them failed, 0 refused.\n');
  });

  proof('loses no shard when two of eight are killed, and the server', async () => {
    const argv = words`simulate A3 --loss 0.001 --entries 20 --seeds 1..600 --json`;
    const whole = await conclave(argv);
    const sweep = await sweepOf(argv, 40);
    const workers = Array.from({ length: 8 }, () => workerProcess(server.url));
    const submitted = conclave(queued(argv, 40));
    const done = async () => (await queue.done(sweep).catch(() => undefined))?.size ?? 0;
    const random = numbers(7);
    for (const at of [random(2, 8), random(9, 16)]) {
      await until(async () => (await done()) >= at);
      await kill(workers.splice(random(0, workers.length - 1), 1)[0]);
    }
    const at = random(17, 24);
    await until(async () => (await done()) >= at);
    await server.kill();
    await server.start();
    expect(await submitted).toMatchObject({ exitCode: whole.exitCode, stdout: whole.stdout });
    expect(JSON.parse(whole.stdout).runs).toBe(600);
    const answers = await Promise.all(
      workers.map((child, place) => end(child, place % 2 === 0 ? 'SIGINT' : 'SIGTERM')),
    );
    for (const answer of answers) expect(answer).toMatch(/^\d+ shards? done, 0 of them failed/);
  });
});

/** So that a shard is given back soon. What exists keeps its settings. */
async function shortAckWait(servers: string): Promise<void> {
  const connection = await connect({ servers });
  const { streams, consumers } = await jetstreamManager(connection);
  const name = 'conclave-shards';
  await streams.add({ name, subjects: ['conclave.shards.>'], retention: 'workqueue' });
  await consumers.add(name, {
    ...{
      durable_name: 'workers',
      ack_policy: 'explicit',
      ack_wait: 2_000_000_000,
      max_deliver: -1,
    },
  });
  await connection.close();
}

/** A protocol with a property that does this. */
const mine = (act: string) => `
import { lelannChangRoberts } from '${import.meta.resolve('../../../algorithms/dist/election/lelann-chang-roberts/protocol.js')}';
const holds = () => Boolean(${act});
export const mine = { ...lelannChangRoberts, properties: [{ kind: 'always', name: 'all is well', holds }] };`;

/** Whole numbers from `least` to `most`, the same for each seed. */
function numbers(seed: number): (least: number, most: number) => number {
  let state = seed;
  return (least, most) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return least + ((state >>> 8) % (most - least + 1));
  };
}

function workerProcess(url: string): ChildProcess {
  const child = spawn(process.execPath, [command, 'worker', '--queue', url]);
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

async function kill(child: ChildProcess | undefined): Promise<void> {
  if (!child) throw new Error('There is no worker to kill');
  child.kill('SIGKILL');
  await once(child, 'exit');
}

/** Ctrl-C, or the end of a container; what it prints then. */
async function end(child: ChildProcess, signal: 'SIGINT' | 'SIGTERM'): Promise<string> {
  let text = '';
  child.stdout?.on('data', (chunk) => {
    text += chunk;
  });
  const ended = once(child, 'close');
  child.kill(signal);
  await ended;
  return text;
}
