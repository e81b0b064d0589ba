/** Runs the examples of the project's README and compares what they print with what the README says they print. */
import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import ts from 'typescript';
import { expect, it } from 'vitest';

interface Example {
  readonly name: string;
  /** Whether its lines may come in any order. */
  readonly unordered: boolean;
  readonly language: string;
  readonly code: string;
  readonly output: string;
}

/** `<!-- example: name -->`, or with `unordered`; then a fence of code, and before the next example a `text` fence: what it prints. */
function examplesOf(page: string): readonly Example[] {
  return page
    .split('<!-- example:')
    .slice(1)
    .map((part) => {
      const [, name = '', unordered, language = '', code = ''] =
        part.match(/^ ([a-z][a-z-]*)( unordered)? -->\s*\n```(js|ts)\n(.*?)^```$/ms) ?? [];
      const [, output] = part.slice(part.indexOf(code) + code.length).match(/^```text\n(.*?)^```$/ms) ?? [];
      if (!code || output === undefined)
        throw new Error(`README.md: no code, or no text fence that says what it prints, after example:${part.slice(0, 40)}`);
      return { name, unordered: unordered !== undefined, language, code, output };
    });
}

/** What `code` prints, run as a module that has the packages at hand. */
async function printed({ name, language, code }: Example): Promise<string> {
  const folder = new URL('../dist/readme/', import.meta.url);
  const file = new URL(`${name}.mjs`, folder);
  const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023 };
  await mkdir(folder, { recursive: true });
  await writeFile(file, language === 'ts' ? ts.transpileModule(code, { compilerOptions }).outputText : code);
  const { stdout } = await promisify(execFile)(process.execPath, [fileURLToPath(file)], { env: { ...process.env, NO_COLOR: '1' } });
  return stdout;
}

const lines = (text: string) => text.trimEnd().split('\n');

const examples = examplesOf(await readFile(new URL('../../../README.md', import.meta.url), 'utf8'));

it('the README has a lock between two workers', () => {
  expect(examples.map(({ name }) => name)).toContain('lock-between-two-workers');
});

it.each(examples)('the README is right about what $name prints', async (example) => {
  const order = (text: string) => (example.unordered ? lines(text).sort() : lines(text));
  expect(order(await printed(example))).toEqual(order(example.output));
});
