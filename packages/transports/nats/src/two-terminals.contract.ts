/** For packages of transports: runs the program of the README, as two terminals do. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';

/**
 * @param root the folder of the package, which is built;
 * @param replace the address of the README by that of the test's server
 */
export async function runTwoTerminals(
  root: string,
  replace: (code: string) => string,
): Promise<void> {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  const [, code = ''] = /<!-- example: two terminals -->\n```js\n([\s\S]+?)```/.exec(readme) ?? [];
  const changed = replace(code);
  expect(changed).not.toBe(code);
  // inside the package: its name is found there
  const folder = await mkdtemp(join(root, 'dist', 'readme-'));
  const file = join(folder, 'lock.mjs');
  await writeFile(file, changed);
  const terminals = [
    ['a', 'b'],
    ['b', 'a'],
  ].map((nodes) =>
    spawn(process.execPath, [file, ...nodes], { stdio: ['ignore', 'pipe', 'pipe'] }),
  );
  const endAll = () => {
    for (const terminal of terminals) terminal.kill('SIGKILL');
  };
  try {
    // one that fails leaves the other waiting
    for (const terminal of terminals) terminal.once('exit', endAll);
    const outputs = await Promise.all(terminals.map(threeEntries));
    for (const terminal of terminals) terminal.off('exit', endAll);
    for (const [index, node] of ['a', 'b'].entries())
      expect(outputs[index]).toContain(
        [1, 2, 3].map((entry) => `${node} is inside, entry ${entry}\n`).join(''),
      );
    // both at once: one that goes on alone waits for the answers of the other
    const ends = terminals.map((terminal) => once(terminal, 'exit'));
    for (const terminal of terminals) terminal.kill('SIGTERM');
    // each hands over, and ends by itself
    expect(await Promise.all(ends)).toEqual(terminals.map(() => [0, null]));
  } finally {
    await Promise.all(
      terminals.map(async (terminal) => {
        if (terminal.exitCode !== null || terminal.signalCode !== null) return;
        const ended = once(terminal, 'exit');
        terminal.kill('SIGKILL');
        await ended;
      }),
    );
    await rm(folder, { recursive: true });
  }
}

/**
 * What it prints until its third entry, or its end. It goes on: the other one may wait for its
 * answers.
 */
const threeEntries = ({ stdout, stderr }: ChildProcess): Promise<string> =>
  new Promise((resolve) => {
    let output = '';
    const add = (text: Buffer) => {
      output += text;
      if (output.includes('entry 3\n')) resolve(output);
    };
    stderr?.on('data', add);
    stdout?.on('data', add);
    stdout?.once('end', () => resolve(output));
  });
