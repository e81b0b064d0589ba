/**
 * The subjects of runtimes.run.mjs under each runtime, in a project that has the packed packages.
 * Exit code 1 if one fails. What this machine lacks is skipped, with the reason; in CI it fails.
 */
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, missingServer, startServer } from '@conclave/core/internal/servers';
import { pack, publicManifests } from '../packages/pack.mjs';
import { outputOf, pathOf, rowText } from '../packages/projects.mjs';

const runtimes = ['node@20.19.6', 'node@22.23.3', 'node@24.21.0', 'bun@1.4.5', 'deno@2.9.6'];
const servers = { nats: 'nats-server', redis: 'redis-server' };
const others = ['tcp', 'websocket', 'threads', 'ipc', 'storage', 'journal', 'once'];
const folder = mkdtempSync(join(tmpdir(), 'conclave-runtimes-'));
const program = 'runtimes.run.mjs';
const notes = [];

async function cellOf(runtime, path, subject, ports) {
  if (path === undefined || ports === undefined) return 'skipped';
  const DATA = mkdtempSync(join(folder, subject));
  const args = [...(runtime.startsWith('deno') ? ['run', '--allow-all'] : []), program, subject];
  const options = { cwd: folder, env: { ...process.env, DATA, PORTS: ports.join() } };
  const { stdout, failure } = await outputOf(path, args, options);
  if (stdout === 'ok\n') return 'passes';
  notes.push(`Fails: ${subject} under ${runtime}: ${failure ?? stdout}`);
  return 'fails';
}

async function install() {
  const needed = /^@conclave\/(core|check|algorithms|coordination|transport-.+)$/;
  const manifests = publicManifests().filter(({ name }) => needed.test(name));
  const tarballs = pack(folder, manifests).map(({ tarball }) => tarball);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  const quiet = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts'];
  const words = ['install', ...quiet, ...tarballs, 'xstate', 'rxjs'];
  const { failure } = await outputOf('npm', words, { cwd: folder });
  if (failure) throw new Error(failure);
  copyFileSync(new URL(program, import.meta.url), join(folder, program));
}

const row = (cells) => console.log(rowText(cells));
const started = {};
try {
  await install();
  for (const [subject, server] of Object.entries(servers)) {
    const missing = missingServer(server);
    if (missing) notes.push(`Skipped: ${subject}. ${missing}`);
    else started[subject] = await startServer(server);
  }
  const subjects = [...Object.keys(servers), ...others];
  row(['runtime', ...subjects]);
  row(['---', ...subjects.map(() => '---')]);
  for (const runtime of runtimes) {
    const { stdout, failure } = await pathOf(runtime);
    if (failure) notes.push(`Skipped: ${runtime}, since npx -y ${runtime} fails: ${failure}`);
    const path = stdout?.trim();
    const cells = [];
    for (const subject of subjects) {
      const free = await Promise.all([freePort(), freePort(), freePort()]);
      const ports = subject in servers ? started[subject] && [started[subject].port] : free;
      cells.push(await cellOf(runtime, path, subject, ports));
    }
    row([runtime, ...cells]);
  }
  for (const note of notes) console.log(note);
  if (notes.some((note) => process.env.CI || note.startsWith('Fails'))) process.exitCode = 1;
} finally {
  for (const server of Object.values(started)) await server?.close();
  rmSync(folder, { recursive: true });
}
