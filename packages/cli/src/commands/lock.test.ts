/** The command in processes of its own, as cron runs it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it, vi } from 'vitest';

const bin = fileURLToPath(new URL('../../bin/conclave.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'conclave-lock-'));
afterAll(() => rmSync(folder, { recursive: true }));

const start = (name: string, ...words: readonly string[]) =>
  spawn(process.execPath, [bin, 'lock', name, '--store', folder, ...words]);

async function ended(child: ChildProcess): Promise<readonly [code: number | null, text: string]> {
  let text = '';
  child.stdout?.on('data', (more) => (text += more));
  child.stderr?.on('data', (more) => (text += more));
  const [code]: (number | null)[] = await once(child, 'close');
  return [code ?? null, text];
}
const run = (name: string, ...words: readonly string[]) => ended(start(name, ...words));
const shell = (text: string) => ['--', 'sh', '-c', text];

it('ends with the exit code of its command, which has a token that grows', async () => {
  expect(await run('codes', ...shell('echo $CONCLAVE_TOKEN; exit 3'))).toEqual([3, '1\n']);
  const [code, text] = await run('codes', '--json', ...shell('exit 0'));
  expect([code, JSON.parse(text)]).toEqual([0, { name: 'codes', token: 3, exitCode: 0 }]);
});

it('lets no other command run beside, and says when it was not free in time', async () => {
  const sign = join(folder, 'inside');
  const first = run('busy', ...shell(`touch ${sign}; while test -e ${sign}; do sleep 0.05; done`));
  await vi.waitFor(() => expect(existsSync(sign)).toBe(true), { timeout: 20_000 });
  expect(await run('busy', '--wait', '50', ...shell('echo in'))).toEqual([
    75,
    "The lock 'busy' was not free within 50 ms.\n",
  ]);
  rmSync(sign);
  expect(await first).toEqual([0, '']);
  expect(await run('busy', ...shell('echo in'))).toEqual([0, 'in\n']);
});

it('hands SIGTERM to its command, and frees the lock', async () => {
  const sign = join(folder, 'running');
  const child = start(
    'ended',
    ...shell(`trap 'exit 9' TERM; touch ${sign}; while :; do sleep 0.05; done`),
  );
  await vi.waitFor(() => expect(existsSync(sign)).toBe(true), { timeout: 20_000 });
  child.kill('SIGTERM');
  expect((await ended(child))[0]).toBe(9);
  expect((await run('ended', '--wait', '5000', ...shell('exit 4')))[0]).toBe(4);
});

it('is taken over after its lease where it is killed', async () => {
  const sign = join(folder, 'killed');
  const child = start(
    'killed',
    '--lease',
    '500',
    ...shell(`echo $CONCLAVE_TOKEN > ${sign}.part; mv ${sign}.part ${sign}; sleep 0.1`),
  );
  await vi.waitFor(() => expect(existsSync(sign)).toBe(true), { timeout: 20_000 });
  child.kill('SIGKILL');
  await ended(child);
  const [code, text] = await run('killed', '--lease', '500', ...shell('echo $CONCLAVE_TOKEN'));
  expect(code).toBe(0);
  expect(Number(text)).toBeGreaterThan(Number(readFileSync(sign, 'utf8')));
});

it.each([
  [['only'], "conclave lock has the name 'only', and no command"],
  [['nosuch', '--', '/no/such/command'], "The command '/no/such/command' cannot be run"],
])('refuses %j', async (words, what) => {
  const [code, text] = await run(...(words as [string, ...string[]]));
  expect([code, text]).toEqual([2, expect.stringContaining(what)]);
});
