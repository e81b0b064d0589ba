import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { conclave, json, temporary } from '../fixtures/conclave.js';

const packages = fileURLToPath(new URL('../../../', import.meta.url));
const packer = fileURLToPath(new URL('../../../../tools/packages/pack.mjs', import.meta.url));
const bin = join(packages, 'cli/bin/conclave.js');

/** The folder of a package, as a package of this repository sees it. */
function folderOf(name: string): string {
  const paths = ['cli', 'core', '..'].flatMap(
    (directory) =>
      createRequire(join(packages, directory, 'package.json')).resolve.paths(name) ?? [],
  );
  const found = paths.map((path) => join(path, name)).find((path) => existsSync(path));
  if (found === undefined) throw new Error(`No package ${name}: is it installed?`);
  return found;
}

/**
 * What `npm install` would do for the dependencies that its package.json lists, and for no others.
 */
function install(folder: string): void {
  const { dependencies, devDependencies } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  );
  for (const name of Object.keys({ ...dependencies, ...devDependencies })) {
    const path = join(folder, 'node_modules', name);
    mkdirSync(dirname(path), { recursive: true });
    const [, own] = /^@conclave\/(.*)$/.exec(name) ?? [];
    symlinkSync(own ? join(packages, own) : folderOf(name), path);
  }
}

function node(cwd: string, script: string, ...argv: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...argv], {
    cwd,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

describe('conclave init', () => {
  proof('writes a protocol that passes the compiler, its tests and its check', async () => {
    const folder = temporary('queue');
    const { exitCode, stderr, value } = await json('init', 'number-queue', '--dir', folder);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const files = [
      'number-queue.ts',
      'number-queue.test.ts',
      'README.md',
      'package.json',
      'tsconfig.json',
    ];
    expect(value).toEqual({ name: 'number-queue', folder, files });
    for (const file of files)
      expect(readFileSync(join(folder, file), 'utf8')).not.toMatch(/ticket-office|Ticket office/);
    install(folder);

    expect(node(folder, join(folderOf('typescript'), 'bin/tsc'))).toEqual({
      status: 0,
      stdout: '',
      stderr: '',
    });

    const tests = node(folder, join(folderOf('vitest'), 'vitest.mjs'), 'run', '--reporter=json');
    expect(tests.status, tests.stderr).toBe(0);
    expect(JSON.parse(tests.stdout)).toMatchObject({ numTotalTests: 6, numPassedTests: 6 });

    const { status, stdout } = node(
      folder,
      bin,
      'check',
      './number-queue.ts',
      '--max-seconds',
      '2',
      '--json',
    );
    expect(status).toBe(0);
    const { protocol, properties } = JSON.parse(stdout);
    expect(protocol).toBe('number-queue');
    expect(properties.map(({ verdict }: { readonly verdict: string }) => verdict)).toEqual([
      'holds',
      'holds',
      'reached',
      'holds',
      'holds',
      'holds',
    ]);
  });

  it('depends on the versions that this repository is tested with', async () => {
    const folder = temporary('queue');
    await conclave(['init', 'queue', '--dir', folder]);
    const { dependencies, devDependencies } = JSON.parse(
      readFileSync(join(folder, 'package.json'), 'utf8'),
    );
    for (const [name, range] of Object.entries({ ...dependencies, ...devDependencies })) {
      const own = /^@conclave\/(.*)$/.exec(name)?.[1];
      const path = own ? join(packages, own) : folderOf(name);
      const { version } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
      const expected = own ? `file:packed/conclave-${own}-${version}.tgz` : `^${version}`;
      expect(`${name} ${range}`).toBe(`${name} ${expected}`);
    }
  });

  it('says what it wrote, and what to do next', async () => {
    const folder = temporary('queue');
    expect(await conclave(['init', 'queue', '--dir', folder])).toEqual({
      exitCode: 0,
      stdout: `✓ Wrote ${folder}: queue.ts, queue.test.ts, README.md, package.json, tsconfig.json.\nNext: cd ${folder} && node ${packer} packed && npm install && npm test && npm run check\nTo see it: npx conclave studio ./queue.ts --watch\n`,
      stderr: '',
    });
    expect(readFileSync(join(folder, 'README.md'), 'utf8')).toMatch(/^# Queue\n/);
  });

  it('overwrites nothing, and writes nothing beside a file that exists', async () => {
    const path = temporary('package.json', 'mine');
    expect(await conclave(['init', 'queue', '--dir', dirname(path)])).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `error: '${path}' exists already. Choose another folder with --dir; nothing is overwritten.\n`,
    });
    expect(readFileSync(path, 'utf8')).toBe('mine');
    expect(existsSync(join(dirname(path), 'queue.ts'))).toBe(false);
  });

  it('says why it cannot write', async () => {
    const path = temporary('file', '');
    const { exitCode, stderr } = await conclave(['init', 'queue', '--dir', join(path, 'below')]);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/^error: The files cannot be written to '.+below': ENOTDIR: .+\n$/);
  });

  it.each(['Queue', 'my lock', '1st', 'a--b', 'a-', '../up', '', 'a'.repeat(61)])(
    "refuses the name '%s'",
    async (name) => {
      const { exitCode, stdout, stderr } = await conclave(['init', name]);
      expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
      expect(stderr).toBe(
        `error: '${name}' cannot be the name of a protocol. Use up to 60 lower-case letters, digits and single hyphens, beginning with a letter, such as my-lock.\n`,
      );
    },
  );
});
