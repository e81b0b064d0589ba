import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { grouped, type Imports, importsIn, sourcesIn } from './import-graph.contract.js';

const root = import.meta.dirname;
const page = readFileSync(join(root, '../../../docs/architecture.md'), 'utf8');
const core = importsIn(root);
const check = importsIn(join(root, '../../check/src'));

it('no source compares texts by a language: ids are compared as strings, the same on every machine', () => {
  const packages = join(root, '../..');
  const sources = readdirSync(packages).flatMap((name) => {
    const folder = join(packages, name, 'src');
    return sourcesIn(folder).map((file) => join(folder, file));
  });
  expect(sources.length).toBeGreaterThan(500);
  expect(
    sources.filter((file) => /localeCompare|Intl\.Collator/.test(readFileSync(file, 'utf8'))),
  ).toEqual([]);
});

/** The rows of the table whose first column links to folders of this package. */
function told(name: string): Imports {
  const link = `\\(\\.\\./packages/${name}/src/([\\w/-]+)\\)`;
  const rows = page.matchAll(new RegExp(`^\\| \\[.+?\\]${link} \\| .+ \\| (.*) \\|$`, 'gm'));
  return new Map(
    [...rows].map(([, folder = '', imports = '']) => [folder, imports.split(', ').filter(Boolean)]),
  );
}

/** What a table leaves out: rows whose imports are not all in the rows above them. */
const upside = (table: Imports) =>
  [...table].filter(([, imports], row) =>
    imports.some((name) => ![...table.keys()].slice(0, row).includes(name)),
  );

it('docs/architecture.md draws the modules of core, each below those that it imports', () => {
  const table = told('core');
  const modulesOf = grouped(core, (file) => (file.includes('/') ? file.split('/')[0] : undefined));
  expect(Object.fromEntries(table)).toEqual(Object.fromEntries(modulesOf));
  expect(upside(table)).toEqual([]);
});

it('docs/architecture.md draws the folders of check, each below those that it imports', () => {
  const table = told('check');
  const folders = grouped(check, (file) =>
    file.includes('/') ? file.split('/').slice(0, -1).join('/') : undefined,
  );
  expect(Object.fromEntries(table)).toEqual(Object.fromEntries(folders));
  expect(upside(table)).toEqual([]);
});
