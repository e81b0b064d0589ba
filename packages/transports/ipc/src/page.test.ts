import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { proof } from '@conclave/tools/sample';
import { expect } from 'vitest';

const root = join(import.meta.dirname, '..');

proof('runs the program of the README', async () => {
  const [, code = ''] =
    /<!-- example: one terminal -->\n```js\n([\s\S]+?)```/.exec(
      readFileSync(join(root, 'README.md'), 'utf8'),
    ) ?? [];
  // inside the package: its name is found there
  const folder = await mkdtemp(join(root, 'dist', 'readme-'));
  await writeFile(join(folder, 'lock.mjs'), code);
  const program = spawn(process.execPath, ['lock.mjs'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  // when its children, which write to the same pipe, have ended, too
  const ended = once(program.stdout, 'close');
  try {
    const lines: string[] = [];
    for await (const line of createInterface(program.stdout)) if (lines.push(line) === 20) break;
    const entries = ['a', 'b'].flatMap((node) =>
      Array.from({ length: 10 }, (_, index) => `${node} is inside, entry ${index + 1}`),
    );
    expect(lines.toSorted()).toEqual(entries.toSorted());
  } finally {
    program.kill('SIGKILL');
    program.stdout.resume();
    await ended;
    await rm(folder, { recursive: true });
  }
});
