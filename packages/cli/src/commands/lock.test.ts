/** The command as cron runs it: in processes of its own where two run beside each other. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, parse } from 'node:path';
import { fileURLToPath } from 'node:url';
import { missingServer, startServer } from '@conclave/core/internal/servers';
import { proof } from '@conclave/tools/sample';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { conclave } from '../fixtures/conclave.js';

const bin = fileURLToPath(new URL('../../bin/conclave.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'conclave-lock-'));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string) => join(folder, name);
const read = (name: string) => readFileSync(at(name), 'utf8');

/** In this process. */
async function run(name: string, ...words: readonly string[]) {
  const { exitCode, stderr } = await conclave(['lock', name, '--store', folder, ...words]);
  return [exitCode, stderr] as const;
}
const start = (name: string, ...words: readonly string[]) =>
  spawn(process.execPath, [bin, 'lock', name, '--store', folder, ...words], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });

const pause = (ms: number) => new Promise<string>((resolve) => setTimeout(resolve, ms, 'waits'));

async function ended(child: ChildProcess): Promise<number | null | undefined> {
  const [code]: (number | null)[] = await once(child, 'close');
  return code;
}
const shell = (text: string) => ['--', 'sh', '-c', text];
const appears = (name: string) =>
  vi.waitFor(() => expect(existsSync(at(name))).toBe(true), { timeout: 20_000 });

it('ends with the exit code of its command, which has a token that grows', async () => {
  const command = shell(`echo $CONCLAVE_TOKEN > ${at('token')}; exit 3`);
  expect(await run('codes', ...command)).toEqual([3, '']);
  expect(read('token')).toBe('1\n');
  const [code, text] = await run('codes', '--json', ...shell('exit 0'));
  expect([code, JSON.parse(text)]).toEqual([0, { name: 'codes', token: 3, exitCode: 0 }]);
});

it('lets no other command run beside, and says when it was not free in time', async () => {
  const sign = at('inside');
  const first = start(
    'busy',
    ...shell(`touch ${sign}; while test -e ${sign}; do sleep 0.05; done`),
  );
  await appears('inside');
  expect(await run('busy', '--wait', '50', ...shell(`touch ${at('beside')}`))).toEqual([
    75,
    "The lock 'busy' was not free within 50 ms.\n",
  ]);
  expect(existsSync(at('beside'))).toBe(false);
  rmSync(sign);
  expect(await ended(first)).toBe(0);
  expect(await run('busy', ...shell('exit 0'))).toEqual([0, '']);
});

it('hands SIGTERM to its command, and frees the lock', async () => {
  const child = start(
    'ended',
    ...shell(`trap 'exit 9' TERM; touch ${at('running')}; while :; do sleep 0.05; done`),
  );
  let told = '';
  child.stderr.on('data', (text) => {
    told += text;
  });
  await appears('running');
  child.kill('SIGTERM');
  expect(await ended(child)).toBe(9);
  expect(told).toContain('interrupted: its command gets SIGTERM;');
  expect(await run('ended', '--wait', '5000', ...shell('exit 4'))).toEqual([4, '']);
});

it('is taken over after its lease where it is killed', async () => {
  const child = start(
    'killed',
    '--lease',
    '500',
    ...shell(`echo $CONCLAVE_TOKEN > ${at('part')}; mv ${at('part')} ${at('first')}; sleep 0.1`),
  );
  await appears('first');
  child.kill('SIGKILL');
  await ended(child);
  const command = shell(`echo $CONCLAVE_TOKEN > ${at('second')}`);
  expect(await run('killed', '--lease', '500', ...command)).toEqual([0, '']);
  expect(Number(read('second'))).toBeGreaterThan(Number(read('first')));
});

it.each<[readonly [string, ...string[]], string]>([
  [['only'], "conclave lock has the name 'only', and no command"],
  [['nosuch', '--', '/no/such/command'], "The command '/no/such/command' cannot be run"],
])('refuses %j', async (words, what) => {
  expect(await run(...words)).toEqual([2, expect.stringContaining(what)]);
});

describe('a store that is a server', () => {
  const here = fileURLToPath(new URL('../../../../tools/', import.meta.url)); // has the clients
  const underLock = (store: string, cwd: string, command: readonly string[]) =>
    spawn(process.execPath, [bin, 'lock', 'served', '--store', store, ...command], {
      cwd,
      env: { ...process.env, NODE_PATH: '' }, // of pnpm, with all packages
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  const servers = [
    ['redis-server', []],
    ['nats-server', ['--jetstream']],
  ] as const;

  proof.for(servers)('%s', async ([server, args], { skip }) => {
    const missing = missingServer(server);
    skip(Boolean(missing), `${server} is not installed`);
    await using running = await startServer(server, { args: [...args] });
    const tokens: string[] = [];
    for (let run = 0; run < 2; run++) {
      const child = underLock(running.url, here, shell('echo $CONCLAVE_TOKEN'));
      child.stdout.setEncoding('utf8').on('data', (text: string) => tokens.push(text.trim()));
      expect(await ended(child)).toBe(0);
    }
    expect(tokens).toEqual(['1', '3']);
  });

  proof('is closed where it cannot be made', async ({ skip }) => {
    skip(Boolean(missingServer('nats-server')), 'nats-server is not installed');
    await using running = await startServer('nats-server'); // without JetStream
    expect(await ended(underLock(running.url, here, shell('exit 0')))).toBe(2);
  });

  const durable = [
    ['redis-server', ['--appendonly', 'yes', '--appendfsync', 'always']],
    ['nats-server', ['--jetstream']],
  ] as const;

  proof.for(durable)('%s, which is killed and starts again', async ([server, args], { skip }) => {
    skip(Boolean(missingServer(server)), `${server} is not installed`);
    await using running = await startServer(server, { args: [...args] });
    const sign = `restart-${server}`;
    const inside = `touch ${at(sign)}; while test -e ${at(sign)}; do sleep 0.05; done; exit 5`;
    const child = underLock(running.url, here, shell(inside));
    await appears(sign);
    await running.kill();
    await running.start();
    const next = underLock(running.url, here, shell('exit 6'));
    const second = ended(next);
    expect(await Promise.race([second, pause(1_000)])).toBe('waits');
    const first = ended(child);
    rmSync(at(sign));
    expect(await Promise.all([first, second])).toEqual([5, 6]);
  });

  it('is refused where there is none of that kind, or its client is not installed', async () => {
    const said = async (store: string, cwd = parse(folder).root) => {
      const child = underLock(store, cwd, shell('exit 0'));
      let text = '';
      child.stderr.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      return [await ended(child), text] as const;
    };
    expect(await said('mysql://db')).toEqual([
      2,
      expect.stringContaining("There is no store 'mysql:'. Give a folder, or postgres://…"),
    ]);
    expect(await said('postgres://db')).toEqual([
      2,
      expect.stringContaining('Install it there: npm install pg.'),
    ]);
    expect(await said('postgres://me:secret@127.0.0.1:1/db', here)).toEqual([
      2,
      expect.stringMatching(
        /The store postgres:\/\/…@127.0.0.1:1\/db cannot be opened: .*Is the server up/,
      ),
    ]);
  });
});
