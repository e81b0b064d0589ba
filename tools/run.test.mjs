import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const node = (...words) => spawnSync(process.execPath, words, { cwd: root, encoding: 'utf8' });
const old = "data:text/javascript,Object.defineProperty(process.versions,'node',{value:'18.20.0'})";
const { scripts } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));
const commands = Object.values(scripts).flatMap(
  (script) => /^node tools\/run\.mjs (\w+)$/.exec(script)?.[1] ?? [],
);

it('npm start, npm test and the others are commands of run.mjs', () => {
  expect(commands).toEqual(expect.arrayContaining(['start', 'test', 'verify', 'torture', 'bench']));
});

it.each(['start', 'test'])('npm %s says what it does before it installs', (name) => {
  const options = { cwd: root, encoding: 'utf8', env: { PATH: '' } }; // there is no npm
  const { status, stdout } = spawnSync(process.execPath, ['tools/run.mjs', name], options);
  expect([status, stdout]).toEqual([
    1,
    expect.stringMatching(/^Installs the packages, builds, and /),
  ]);
});

it.each(commands)('npm run %s -- --help says what it does, at once', (name) => {
  const { status, stdout, stderr } = node('tools/run.mjs', name, '--help');
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout.trim().length).toBeGreaterThan(10);
  expect(stdout).not.toContain('Installs');
});

it.each([
  ['tools/run.mjs', 'test'],
  ['packages/cli/bin/conclave.js', 'list'],
])('%s says in a line that this Node.js is too old', (...words) => {
  const { status, stdout, stderr } = node('--import', old, ...words);
  expect([status, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(/^.*onclave needs Node\.js 20\.19 or later, and this is 18\.20\.0\.\n$/);
});

it('the packages say so where they are imported', () => {
  const { status, stderr } = node(
    ...['--import', 'data:text/javascript,delete Array.prototype.toReversed'],
    'packages/core/dist/protocol/index.js',
  );
  expect(status).toBe(1);
  expect(stderr).toContain('Conclave needs Node.js 20.19, or a browser of 2023, or later');
});
