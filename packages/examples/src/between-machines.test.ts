/**
 * The program of docs/lock-machines.md that runs in several terminals: three real processes over a real
 * server, one of which is killed inside.
 */

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startServer } from '@conclave/core/internal/servers';
import { proof } from '@conclave/tools/sample';
import { Subject } from 'rxjs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWithServer } from '../../core/src/embedding/testing/describe-with-server.contract.js';
import type { TestServer } from '../../core/src/embedding/testing/servers.js';

const root = new URL('../../../', import.meta.url);
const text = (path: string) => readFileSync(new URL(path, root), 'utf8');

it('is the program of the page', () => {
  const [, code] =
    /<!-- program: between-machines -->\n```js\n([\s\S]+?)```/.exec(
      text('docs/lock-machines.md'),
    ) ?? [];
  expect(code).toBe(text('packages/examples/src/between-machines.ts'));
});

/** With a lease of two seconds instead of ten, and shorter stays. */
function faster(code: string): string {
  const changes = [
    [
      'import { lock }',
      "import { leasedMajority } from '@conclave/algorithms/leased-majority';\nimport { lock }",
    ],
    ['lock({ tolerate', 'lock(leasedMajority({ lease: 5000, cancel: true }), { tolerate'],
    ['sleep(500', 'sleep(100'],
  ] as const;
  return changes.reduce((changed, [from, to]) => {
    expect(changed).toContain(from);
    return changed.replace(from, to);
  }, code);
}

interface Entry {
  readonly node: string;
  readonly token: number;
}

describeWithServer('nats-server', 'three terminals', () => {
  const nodes = ['a', 'b', 'c'];
  const running = new Map<string, ChildProcess>();
  const entries: Entry[] = [];
  const entry$ = new Subject<Entry>();
  const failures: string[] = [];
  let server: TestServer;
  let folder = '';

  beforeAll(async () => {
    server = await startServer('nats-server');
    // inside the package: its imports are found there
    folder = await mkdtemp(fileURLToPath(new URL('packages/examples/dist/terminals-', root)));
    writeFileSync(
      join(folder, 'worker.mjs'),
      faster(text('packages/examples/dist/between-machines.js')),
    );
  });
  afterAll(async () => {
    await Promise.all([...running.keys()].map(kill));
    await server?.close();
    await rm(folder, { recursive: true, force: true });
  });

  function start(node: string): void {
    const child = spawn(process.execPath, ['worker.mjs', node, server.url], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running.set(node, child);
    child.stderr.on('data', (error: Buffer) => failures.push(`${node}: ${error}`));
    createInterface(child.stdout).on('line', (line) => {
      const [, name = '', token = ''] = /^(.+) has the lock, token (\d+)$/.exec(line) ?? [];
      const entry = { node: name, token: Number(token) };
      entries.push(entry);
      entry$.next(entry);
    });
    child.once('exit', (code) => {
      if (code === null) return;
      failures.push(`${node} has ended with code ${code}`);
      entry$.error(new Error(failures.join('\n')));
    });
  }

  async function kill(node: string): Promise<void> {
    const child = running.get(node);
    running.delete(node);
    if (!child || child.exitCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  /** Resolves with the entry after which each of `those` has entered since the call. */
  const allEnter = (those: readonly string[]): Promise<Entry> =>
    new Promise((resolve, reject) => {
      const missing = new Set(those);
      const subscription = entry$.subscribe({
        next: (entry) => {
          missing.delete(entry.node);
          if (missing.size > 0) return;
          subscription.unsubscribe();
          resolve(entry);
        },
        error: reject,
      });
    });

  proof('the others go on when one is killed inside, and it comes back', async () => {
    for (const node of nodes) start(node);
    const { node: victim } = await allEnter(nodes);
    await kill(victim); // within its stay of 100 ms
    const before = Math.max(...entries.map(({ token }) => token));
    const others = nodes.filter((node) => node !== victim);
    await allEnter(others);
    start(victim);
    expect((await allEnter([victim])).token).toBeGreaterThan(before);
    await Promise.all(nodes.map(kill));
    expect(failures).toEqual([]);
    const tokens = entries.map(({ token }) => token);
    expect(new Set(tokens).size).toBe(tokens.length);
  });

  proof('their journals conform', async () => {
    expect(await readdir(join(folder, 'journals'))).toHaveLength(4); // one was started twice
    const conclave = fileURLToPath(new URL('packages/cli/dist/main.js', root));
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [conclave, 'conform', 'journals'],
      { cwd: folder },
    );
    expect(stdout).toMatch(/^✓ journals: 4 journals of leased-majority on complete:a,b,c conform/);
  });
});
