/**
 * docs/tutorial.md and docs/model-tests.md, as their reader does it: each program is saved, each edit
 * is made, each command is run, and its output has what the page shows; `…` stands for any lines.
 *
 * <!-- program: tutorial-commit --> <!-- program: tutorial-properties -->
 * <!-- program: tutorial-all-votes --> <!-- program: tutorial-impatient -->
 * <!-- program: tutorial-patient --> <!-- program: tutorial-time-out -->
 * <!-- program: tutorial-test --> <!-- program: tutorial-model-test -->
 * <!-- program: tutorial-memory --> <!-- program: tutorial-node -->
 * <!-- program: model-test-machine --> <!-- program: model-test-system -->
 * <!-- program: model-test-paths -->
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '@conclave/core/internal/servers';
import { isWhole, proof } from '@conclave/tools/sample';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = new URL('../../../', import.meta.url);
const at = (path: string) => fileURLToPath(new URL(path, root));

const files: Readonly<Record<string, string>> = {
  'tutorial-commit': 'commit.mjs',
  'tutorial-test': 'commit.test.mjs',
  'tutorial-model-test': 'model.test.mjs',
  'tutorial-memory': 'memory.mjs',
  'tutorial-node': 'node.mjs',
  'model-test-machine': 'machine.test.mjs',
  'model-test-system': 'system.test.mjs',
  'model-test-paths': 'paths.mjs',
};
const commands: Readonly<Record<string, string>> = {
  'npx conclave': at('packages/cli/dist/main.js'),
  'npx vitest': at('node_modules/vitest/vitest.mjs'),
  node: '',
};

let folder = '';
const read = (file: string) => readFileSync(join(folder, file), 'utf8');
const write = (file: string, text: string) => writeFileSync(join(folder, file), text);

// inside the package: its imports are found there
beforeAll(() => {
  folder = mkdtempSync(at('packages/examples/dist/tutorial-'));
  write('vitest.config.mjs', 'export default {};'); // not that of this repository
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** `text` with `part` in place of what begins with the same words, to the end of its brackets. */
function replaced(text: string, part: string): string {
  const lines = text.split('\n');
  const [start = '', indent = ''] = /^( *)\w[\w ]*/.exec(part) ?? [];
  const from = lines.findIndex((line) => line.startsWith(start));
  const isOneLine = /[;,]$/.test(lines[from] ?? '');
  const ends = (line: string, at: number) => at > from && line.startsWith(`${indent}}`);
  const to = isOneLine ? from : lines.findIndex(ends);
  expect(from).toBeGreaterThan(0);
  return lines.toSpliced(from, to - from + 1, part.trimEnd()).join('\n');
}

function run(line: string): Promise<string> {
  const [name = ''] = Object.keys(commands).filter((known) => line.startsWith(`${known} `));
  const args = [commands[name] ?? '', ...line.slice(name.length + 1).split(' ')].filter(Boolean);
  const env = { ...process.env, NO_COLOR: '1' };
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: folder, env }, (_, stdout, stderr) =>
      resolve(stdout + stderr),
    );
  });
}

/** The lines of `shown` are in `output`, in this order; without `…` between them, one after another. */
function expectShown(output: string, shown: string): void {
  let rest = output;
  for (const part of shown.split(/^…\n/m)) {
    expect(rest).toContain(part);
    rest = rest.slice(rest.indexOf(part) + part.length);
  }
}

/** The programs and outputs of a page, in their order. */
const stepsOf = (page: string) =>
  [
    ...readFileSync(at(page), 'utf8').matchAll(
      /(?:<!-- program: ([\w-]+) -->\n)?```(?:js|text)\n([\s\S]*?)```/g,
    ),
  ].map(([, program = '', text = '']) => ({ program, text }));

describe('docs/tutorial.md', () => {
  const steps = stepsOf('docs/tutorial.md');
  /** To `npm test` are left the first three commands. */
  const tried = isWhole ? steps : steps.slice(0, 6);

  it('shows what its commands print, program by program', async () => {
    for (const { program, text } of tried) {
      const [, command, shown = ''] = /^\$ (.*)\n([\s\S]*)$/.exec(text) ?? [];
      if (command?.includes('conform')) continue;
      if (command) expectShown(await run(command), shown);
      else if (files[program]) write(files[program], text);
      else write('commit.mjs', replaced(read('commit.mjs'), text));
      if (program === 'tutorial-properties') importAll();
    }
  });

  /** As the page says below the properties. */
  function importAll() {
    const names = 'leadsTo, never, sometimes, system';
    write('commit.mjs', read('commit.mjs').replace('{ system }', `{ ${names} }`));
  }

  proof('has tests that pass', async () => {
    const output = await run('npx vitest run');
    expect(output).toMatch(/Tests +3 passed/);
  });

  proof('runs as four processes, whose journals conform', async () => {
    let program = read('node.mjs');
    for (const port of [4001, 4002, 4003, 4004])
      program = program.replace(`${port}`, String(await freePort()));
    write('node.mjs', program);
    const nodes = ['p3', 'coordinator', 'p1', 'p2'].map((self) =>
      spawn(process.execPath, ['node.mjs', self], {
        cwd: folder,
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    );
    await Promise.all(nodes.map(committed));
    await Promise.all(
      nodes.map((node) => {
        node.kill('SIGTERM');
        return once(node, 'exit');
      }),
    );
    const [conform] = steps.filter(({ text }) => text.includes('conform journals'));
    const [, command = '', shown = ''] = /^\$ (.*)\n([\s\S]*)$/.exec(conform?.text ?? '') ?? [];
    expect(await run(command)).toBe(shown);
  });
});

proof('docs/model-tests.md shows what its tests and commands print', async () => {
  const steps = stepsOf('docs/model-tests.md');
  for (const { program, text } of steps) if (program) write(files[program] ?? '', text);
  const tests = await run('npx vitest run machine.test system.test');
  for (const { program, text } of steps) {
    const [, command, shown = ''] = /^\$ (.*)\n([\s\S]*)$/.exec(text) ?? [];
    if (command) expectShown(await run(command), shown);
    else if (!program) expect(tests).toContain(text);
  }
  expect(tests).toMatch(/Tests +1 failed \| 1 passed/);
});

function committed(node: ChildProcess): Promise<void> {
  let output = '';
  return new Promise((resolve, reject) => {
    const hear = (text: Buffer) => {
      output += text;
      if (/: committed$/m.test(output)) resolve();
    };
    node.stdout?.on('data', hear);
    node.stderr?.on('data', hear);
    node.once('exit', () => reject(new Error(output)));
  });
}
