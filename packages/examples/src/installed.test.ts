/**
 * Packs the packages, installs the tarballs by npm in empty projects, and uses them there: the
 * examples print what their pages say, the types check in CommonJS and for a browser, and the oldest
 * peers give the same results as the newest. tools/packages/projects.mjs imports every entry, and
 * checks the types under each kind of module resolution.
 */

import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Example, examplesOf, pages } from '@conclave/tools/examples';
import { isWhole, proof } from '@conclave/tools/sample';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const execute = promisify(execFile);
const root = new URL('../../../', import.meta.url);
const at = (path: string) => fileURLToPath(new URL(path, root));
const json = async (path: string) => JSON.parse(await readFile(at(path), 'utf8'));

const examples = pages.flatMap(examplesOf);
const older = '5.32.1';
let folder = '';
let newest = '';
let least = '';

/** Installs `what` in the empty project `name`. */
async function project(name: string, what: readonly string[]): Promise<string> {
  const directory = join(folder, name);
  await mkdir(directory);
  await writeFile(
    join(directory, 'package.json'),
    JSON.stringify({ name, private: true, type: 'module' }),
  );
  const options = [
    '--prefer-offline',
    '--no-audit',
    '--no-fund',
    '--ignore-scripts',
    '--loglevel=error',
  ];
  await execute('npm', ['install', ...options, ...what], { cwd: directory });
  for (const file of ['ping-pong', 'all-at-once']) {
    await copyFile(at(`packages/examples/dist/${file}.js`), join(directory, `${file}.js`));
    await copyFile(at(`packages/examples/src/${file}.ts`), join(directory, `${file}.ts`));
  }
  return directory;
}

/** Runs a command in a project and returns its output. */
async function printed(
  directory: string,
  command: string,
  ...args: readonly string[]
): Promise<string> {
  const PATH = [join(directory, 'node_modules/.bin'), process.env.PATH].join(delimiter);
  const { stdout } = await execute(command, args, {
    cwd: directory,
    env: { ...process.env, PATH, NO_COLOR: '1' },
    maxBuffer: 1 << 28,
  });
  return stdout;
}

async function exampleOutput({ name, language, code }: Example): Promise<string> {
  if (language === 'sh') return printed(newest, 'sh', '-c', code);
  const file = `${name}.mjs`;
  const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023 };
  await writeFile(
    join(newest, file),
    language === 'ts' ? ts.transpileModule(code, { compilerOptions }).outputText : code,
  );
  return printed(newest, process.execPath, file);
}

/** What the compiler prints about `files` of a project. */
async function compiled(
  directory: string,
  files: readonly string[],
  options: readonly string[],
): Promise<string> {
  const compiler = createRequire(import.meta.url).resolve('typescript/lib/tsc.js');
  const strict = [
    '--noEmit',
    '--strict',
    '--target',
    'es2022',
    '--typeRoots',
    at('node_modules/@types'),
  ];
  try {
    return await printed(directory, process.execPath, compiler, ...strict, ...options, ...files);
  } catch (error) {
    const { code, stdout } = Object(error);
    if (typeof code !== 'number') throw error; // it was not the compiler that ended
    return stdout;
  }
}

beforeAll(async () => {
  if (!isWhole) return;
  folder = await mkdtemp(join(tmpdir(), 'conclave-installed-'));
  const packed = JSON.parse(
    (await execute(process.execPath, [at('tools/packages/pack.mjs'), folder, '--json'])).stdout,
  );
  const tarballs: ReadonlyMap<string, string> = new Map(
    packed.map(({ name, tarball }: { readonly name: string; readonly tarball: string }) => [
      name,
      tarball,
    ]),
  );
  const used = ['core', 'check', 'algorithms', 'coordination'].map(
    (name) => tarballs.get(`@conclave/${name}`) ?? '',
  );
  const { dependencies } = await json('packages/cli/package.json');
  expect(dependencies).toMatchObject({
    '@conclave/core': 'workspace:*',
    '@conclave/check': 'workspace:*',
    '@conclave/algorithms': 'workspace:*',
  });
  const requireCore = createRequire(at('packages/core/package.json'));
  const versions = ['xstate', 'rxjs'].map(
    (name) => `${name}@${requireCore(`${name}/package.json`).version}`,
  );
  const copies = [
    `xstate-older@npm:xstate@${older}`,
    `xstate-least@npm:xstate@${(await leastPeers()).xstate}`,
  ];
  [newest, least] = await Promise.all([
    project('newest', [...tarballs.values(), ...versions, ...copies]),
    project('least', [
      ...used,
      ...Object.entries(await leastPeers()).map(([name, version]) => `${name}@${version}`),
    ]),
  ]);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** The oldest versions that the packages allow. */
async function leastPeers(): Promise<{ readonly rxjs: string; readonly xstate: string }> {
  const workspace = await readFile(at('pnpm-workspace.yaml'), 'utf8');
  const [, rxjs = '', xstate = ''] =
    workspace.match(/peers:\n {4}rxjs: \^(\S+)\n {4}xstate: \^(\S+)/) ?? [];
  return { rxjs, xstate };
}

it('the chapters have a lock between two workers', () => {
  expect(examples.map(({ name }) => name)).toContain('lock-between-two-workers');
});

proof.each(examples)('$page: $name prints what the page says', async (example) => {
  const lines = (text: string) =>
    example.unordered ? text.trimEnd().split('\n').sort() : text.trimEnd().split('\n');
  expect(lines(await exampleOutput(example))).toEqual(lines(example.output));
});

proof('the command without the client of NATS says what to install', async () => {
  const bin = join(newest, 'node_modules/@conclave/cli/bin/conclave.js');
  await expect(
    execute(process.execPath, [bin, 'worker', '--queue', 'nats://127.0.0.1:4222']),
  ).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining(
      'npm install @nats-io/transport-node @nats-io/jetstream @nats-io/obj',
    ),
  });
});

proof('the oldest peers give the same results as the newest', async () => {
  for (const [name, version] of Object.entries(await leastPeers()))
    expect(
      JSON.parse(await readFile(join(least, `node_modules/${name}/package.json`), 'utf8')).version,
    ).toBe(version);
  const [old, current] = await Promise.all(
    [least, newest].map((directory) => printed(directory, process.execPath, 'all-at-once.js')),
  );
  expect(current).toContain('locked by b');
  expect(old).toBe(current);
});

proof('in CommonJS node16 refuses an import, and takes what the README says instead', async () => {
  const readme = await readFile(at('README.md'), 'utf8');
  const [, later = ''] =
    /TS1479.*set `"type": "module"`.*write `(await import\(.+?\))`/.exec(readme) ?? [];
  const use = 'console.log(typeof lock);';
  const programs = {
    'first.cts': `import { lock } from '@conclave/coordination';\n${use}`,
    'later.cts': `void (async () => { const { lock } = ${later};\n${use} })();`,
    'first.mts': `import { lock } from '@conclave/coordination';\n${use}`, // as with "type": "module"
  };
  const errors: Record<string, readonly string[]> = {};
  for (const [file, text] of Object.entries(programs)) {
    await writeFile(join(newest, file), text);
    const options = ['--module', 'node16', '--types', 'node', '--skipLibCheck'];
    errors[file] = (await compiled(newest, [file], options)).match(/error TS\d+/g) ?? [];
  }
  expect(errors).toEqual({ 'first.cts': ['error TS1479'], 'later.cts': [], 'first.mts': [] });
});

proof('the types check for a browser, without the types of Node.js', async () => {
  const bundler = ['--module', 'esnext', '--moduleResolution', 'bundler', '--lib', 'es2022,dom'];
  const whole = ['--skipLibCheck', 'false', '--skipDefaultLibCheck']; // our declarations as well
  const files = ['ping-pong.ts', 'all-at-once.ts'];
  expect(await compiled(newest, files, [...bundler, ...whole])).toBe('');
});

describe('a machine built with another copy of XState', () => {
  const explored = (copy: string) => `
    import { createMachine } from '${copy}';
    import { explore } from '@conclave/check';
    import { defineProtocol, sometimes } from '@conclave/core/protocol';
    import { complete, needs } from '@conclave/core/topology';
    const machine = createMachine({ initial: 'off', states: { off: { on: { go: 'on' } }, on: { tags: 'on', on: { go: {} } } } });
    try {
      const tiny = defineProtocol({
        name: 'tiny', title: 'Tiny', problem: 'none', citation: 'none', topology: needs.complete, waiting: false,
        channels: { order: 'any', loss: false, duplication: false },
        roles: { node: { machine, input: (self) => ({ self }) } },
        messages: {}, commands: { go: { kind: 'optional', meaning: 'turn on' } },
        properties: [sometimes('a node is on', (system) => system.count('on') > 0)],
      });
      console.log(explore(tiny, complete(2)).properties.map(({ verdict }) => verdict).join(' '));
    } catch (error) {
      console.log(error.name + ' ' + error.code + ': ' + error.message);
    }`;
  const outcome = (copy: string) =>
    printed(newest, process.execPath, '--input-type=module', '--eval', explored(copy));

  proof('works like one of the same copy if that copy is in the peer range', async () => {
    const own = await outcome('xstate');
    expect(own).toMatch(/^reached /);
    expect(await outcome('xstate-least')).toBe(own);
  });

  proof('is refused if that copy is not', async () => {
    const { xstate } = await leastPeers();
    expect(await outcome('xstate-older')).toBe(
      `ConclaveError bad-protocol: Protocol 'tiny': the machine of role 'node' was built by another copy of XState than the one that Conclave imports, and that copy is not ^${xstate}. See both copies by \`npm ls xstate\`, and keep the one that Conclave imports.\n`,
    );
  });
});
