/** compose/compose.yaml: what it says, and its commands as processes of this machine. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort, missingServer, startServer } from '@conclave/core/internal/servers';
import { proof } from '@conclave/tools/sample';
import { DCLinter } from 'dclint';
import { expect, it } from 'vitest';
import { parse } from 'yaml';

const folder = fileURLToPath(new URL('../compose/', import.meta.url));
const file = join(folder, 'compose.yaml');

interface Service {
  readonly command?: readonly [string, ...string[]];
  readonly environment?: Readonly<Record<string, string>>;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly deploy?: { readonly replicas: number };
}
/** What is read of a result of the linter, which has no types. */
interface Linted {
  readonly messages: readonly { readonly rule: string }[];
}
const { services }: { services: Readonly<Record<string, Service>> } = parse(
  readFileSync(file, 'utf8'),
  { merge: true },
);

it('is a compose file of three voters, NATS and five clients', () => {
  const found: readonly Linted[] = new DCLinter({
    rules: {},
    quiet: false,
    debug: false,
    exclude: [],
  }).lintFiles([file], false);
  const wrong = found.flatMap(({ messages }) => messages);
  expect(wrong.filter(({ rule }) => rule === 'invalid-schema' || rule === 'invalid-yaml')).toEqual(
    [],
  );
  expect(Object.keys(services)).toEqual(['nats', 'voter-a', 'voter-b', 'voter-c', 'client']);
  expect(services.client?.deploy).toEqual({ replicas: 5 });
  for (const [name, { environment = {} }] of Object.entries(services))
    if (name.startsWith('voter')) expect(environment.NODE_NAME).toBe(name);
});

proof('its commands run: clients come and go, a voter is killed, its twin refused', async () => {
  if (missingServer('nats-server')) return;
  await using nats = await startServer('nats-server');
  const data = mkdtempSync(join(tmpdir(), 'conclave-compose-'));
  const tokens: number[] = [];
  const errors: string[] = [];
  const start = async (service: string, DATA = data) => {
    const { command: [, ...args] = [''], environment } = services[service] ?? {};
    const WEB = String(await freePort());
    const child = spawn(process.execPath, args, {
      cwd: folder,
      env: { ...process.env, ...environment, NATS: nats.url, DATA, WEB },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const told = { entries: 0 };
    child.stdout.on('data', (text) => {
      for (const [, token] of String(text).matchAll(/works with token (\d+)/g)) {
        told.entries++;
        tokens.push(Number(token));
      }
    });
    child.stderr.on('data', (text) => errors.push(String(text)));
    const [, , ...probe] = services[service]?.healthcheck?.test ?? [];
    const health = probe.map((arg) => arg.replace(':9464/', `:${WEB}/`));
    const state = async () =>
      (await fetch(`http://127.0.0.1:${WEB}/health`).then((told) => told.json(), Object)).state;
    return { child, told, ended: once(child, 'exit'), health, state };
  };
  const until = async (is: () => boolean) => {
    for (let tries = 0; !is(); tries++) {
      if (tries > 6000) expect.fail(errors.join(''));
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const voters = await Promise.all(['voter-a', 'voter-b', 'voter-c'].map((one) => start(one)));
  const replicas = Array.from({ length: services.client?.deploy?.replicas ?? 0 }, () => 'client');
  const clients = await Promise.all(replicas.map((one) => start(one)));
  const all = [...voters, ...clients];
  try {
    await until(() => clients.every(({ told }) => told.entries > 0));
    const twin = await start('voter-a', join(data, 'twin'));
    all.push(twin);
    while ((await twin.state()) !== 'refused') await new Promise(setImmediate);
    for (const one of all)
      expect(await once(spawn(process.execPath, one.health), 'exit')).toEqual([
        one === twin ? 1 : 0,
        null,
      ]);
    voters[2]?.child.kill('SIGKILL');
    const [leaving, ...staying] = clients;
    leaving?.child.kill('SIGTERM');
    expect(await leaving?.ended).toEqual([0, null]);
    const late = await start('client'); // nobody knows it before
    all.push(late);
    const before = staying.map(({ told }) => told.entries);
    await until(
      () =>
        late.told.entries > 0 && staying.every(({ told }, n) => told.entries > (before[n] ?? 0)),
    );
    expect(new Set(tokens).size).toBe(tokens.length);
    for (const voter of voters.slice(0, 2)) {
      voter.child.kill('SIGTERM');
      expect(await voter.ended).toEqual([0, null]);
    }
  } finally {
    for (const { child } of all) child.kill('SIGKILL');
    rmSync(data, { recursive: true, force: true });
  }
});
