import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { temporary } from './fixtures/conclave.js';
import { newerSource } from './installation.js';

const exclude = ['src/**/*.test.ts', 'src/**/*.contract.ts', 'src/contract'];

/** A folder of packages; by file: how many seconds after the build it was written. */
function packagesWith(files: Readonly<Record<string, number>>): string {
  const folder = temporary('packages');
  for (const [name, seconds] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    if (name.endsWith('/node')) mkdirSync(path);
    else writeFileSync(path, name.endsWith('tsconfig.json') ? JSON.stringify({ exclude }) : '');
    utimesSync(path, 1000 + seconds, 1000 + seconds);
  }
  return folder;
}

const binary = 'check/src/search/kernel/binary.ts';
const built = {
  ...{ 'core/tsconfig.json': 1, 'core/dist/.tsbuildinfo': 0, 'core/src/base/error.ts': -1 },
  ...{ [binary]: -2, 'check/kernel/index.ts': -3, 'core/dist/node': 0 },
};

it.each<[string, Readonly<Record<string, number>>, string | undefined]>([
  ['is there after an edit', { ...built, 'core/src/base/names.ts': 1 }, 'core/src/base/names.ts'],
  [
    'is there after an edit of the kernel',
    { ...built, 'check/kernel/edges.ts': -1 },
    'check/kernel/edges.ts',
  ],
  ['is none after the build', built, undefined],
  [
    'is what the compiler wrote after the bundles',
    { ...built, 'core/dist/node': -0.5 },
    'core/dist/.tsbuildinfo',
  ],
  ['is no test', { ...built, 'core/src/base/error.test.ts': 1 }, undefined],
  ['is in no folder that it leaves out', { ...built, 'core/src/contract/own.ts': 1 }, undefined],
  [
    'may be in a folder of that name',
    { ...built, 'core/src/base/contract/own.ts': 1 },
    'core/src/base/contract/own.ts',
  ],
  ['is none in a published package', { 'core/dist/a.js': 0, 'core/src/a.ts': 1 }, undefined],
  ['is no kernel in a published package', { [binary]: 0, 'core/src/a.ts': 1 }, undefined],
])('a source newer than the build %s', (_, files, expected) => {
  const folder = packagesWith(files);
  expect(newerSource(folder)).toBe(expected && join(folder, expected));
});
