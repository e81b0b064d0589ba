/** No two files, folders or families import each other, in the sources of every package. */
import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cyclesIn, grouped, importsIn } from './import-graph.contract.js';

const packages = join(import.meta.dirname, '..', '..');
const names = [
  ...readdirSync(packages).filter((name) => name !== 'transports'),
  ...readdirSync(join(packages, 'transports')).map((name) => `transports/${name}`),
];

it.each(names)('no module of %s is in an import cycle', (name) => {
  const imports = importsIn(join(packages, name, 'src'));
  expect(imports.size).toBeGreaterThan(0);
  expect(cyclesIn(imports)).toEqual([]);
});

/** An `index.ts` or `internal.ts` lists what others make: it belongs to the storey above. */
const isIndex = (file: string) => /^(index|internal)\.ts$/.test(basename(file));
describe.each(['core', 'check'])('%s', (name) => {
  const imports = importsIn(join(packages, name, 'src'));

  it('has no folder that imports its importer, at any depth', () => {
    const folders = grouped(imports, (file) => (isIndex(file) ? undefined : dirname(file)));
    expect(folders.size).toBeGreaterThan(15);
    expect(cyclesIn(folders)).toEqual([]);
  });

  it('nor one that does so with all that is below it', () => {
    const parents = new Set([...imports.keys()].map((file) => dirname(dirname(file))));
    for (const parent of parents) {
      const prefix = parent === '.' ? '' : `${parent}/`;
      const below = grouped(imports, (file) => {
        const [first, ...more] = file.startsWith(prefix)
          ? file.slice(prefix.length).split('/')
          : [];
        return more.length === 0 || isIndex(file) ? undefined : first;
      });
      expect(cyclesIn(below), `in ${parent}`).toEqual([]);
    }
  });
});

it('no family of algorithms imports its importer', () => {
  const families = grouped(importsIn(join(packages, 'algorithms', 'src')), (file) =>
    file.includes('/') ? file.split('/')[0] : undefined,
  );
  expect(families.size).toBeGreaterThan(5);
  expect(cyclesIn(families)).toEqual([]);
});

it('finds a cycle, and only those in it', () => {
  const imports = new Map([
    ['a.ts', ['b.ts']],
    ['b.ts', ['c.ts', 'd.ts']],
    ['c.ts', ['a.ts']],
    ['d.ts', []],
  ]);
  expect(cyclesIn(imports)).toEqual(['a.ts b.ts c.ts']);
});

it('finds folders that import each other by different files', () => {
  const imports = new Map([
    ['one/a.ts', ['other/b.ts']],
    ['other/b.ts', []],
    ['other/c.ts', ['one/d.ts']],
    ['one/d.ts', []],
  ]);
  expect(cyclesIn(imports)).toEqual([]);
  expect(cyclesIn(grouped(imports, dirname))).toEqual(['one other']);
});
