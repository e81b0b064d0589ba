/** The program of docs/operations.md, in three processes. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '@conclave/core/internal/servers';
import { proof } from '@conclave/tools/sample';
import { expect } from 'vitest';

const page = readFileSync(new URL('../../../docs/operations.md', import.meta.url), 'utf8');
const [, code = ''] = /<!-- program: worker -->\n```js\n([\s\S]+?)```/.exec(page) ?? [];

function started(file: string, env: Readonly<Record<string, string>>) {
  const child: ChildProcess = spawn(process.execPath, [file], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const told = { output: '', errors: '' };
  child.stdout?.on('data', (text) => (told.output += text));
  child.stderr?.on('data', (text) => (told.errors += text));
  return { child, told, ended: once(child, 'exit') };
}

async function until(is: () => boolean, told: () => string): Promise<void> {
  for (let tries = 0; !is(); tries++) {
    if (tries > 6000) expect.fail(told());
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

proof(
  'runs, tells its health and metrics, hands over on SIGTERM, and refuses a node with other nodes',
  async () => {
    // inside the package: what it imports is found there
    const folder = mkdtempSync(fileURLToPath(new URL('../dist/operations-', import.meta.url)));
    const file = join(folder, 'worker.mjs');
    writeFileSync(file, code);
    const names = ['lock-0', 'lock-1', 'lock-2'];
    const ports = await Promise.all([...names, ...names].map(freePort));
    const addresses = Object.fromEntries(
      names.map((name, index) => [name, { port: ports[index], host: '127.0.0.1' }]),
    );
    const start = (index: number, nodes: object = addresses) =>
      started(file, {
        NODE_NAME: names[index] ?? '',
        NODES: JSON.stringify(nodes),
        DATA: folder,
        WEB: String(ports[names.length + index]),
      });
    const nodes = names.map((_, index) => start(index));
    const all = () => nodes.map(({ told }) => told.output + told.errors).join('\n');
    const get = async (index: number, path: string) =>
      (await fetch(`http://127.0.0.1:${ports[names.length + index]}${path}`)).text();
    try {
      await until(() => nodes.every(({ told }) => told.output.includes('works with token')), all);
      expect(JSON.parse(await get(0, '/health'))).toMatchObject({
        state: 'working',
        transport: 'up',
        unreachable: [],
        refusals: 0,
      });
      expect(await get(1, '/metrics')).toMatch(
        /conclave_lock_calls_total\{node="lock-1",outcome="acquired"\} [1-9]/,
      );
      nodes[2]?.child.kill('SIGTERM');
      expect(await nodes[2]?.ended).toEqual([0, null]);
      const { 'lock-1': _, ...fewer } = addresses;
      const other = start(2, { ...fewer, 'lock-3': { port: 1, host: '127.0.0.1' } });
      nodes.push(other);
      expect(await other.ended).toEqual([2, null]);
      expect(other.told.errors).toContain('"refused"');
      const before = nodes[0]?.told.output.length ?? 0;
      await until(() => (nodes[0]?.told.output.length ?? 0) > before, all); // the others go on
    } finally {
      for (const { child } of nodes) child.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    }
  },
);
