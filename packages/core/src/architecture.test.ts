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

/** The folders of this package to which its section of the page links, in their order. */
function listedFolders(name: string): readonly string[] {
  const section = page.split('\n## ').find((text) => text.startsWith(`The modules of ${name}\n`));
  const links = new RegExp(`\\(\\.\\./packages/${name}/src/([\\w/-]+)\\)`, 'g');
  return [...(section ?? '').matchAll(links)].map(([, folder = '']) => folder);
}

/** The folders that the page lists before a folder that they import. */
const tooEarly = (listed: readonly string[], imports: Imports) =>
  listed.filter((folder, at) =>
    imports.get(folder)?.some((other) => !listed.slice(0, at).includes(other)),
  );

it.each([
  ['core', grouped(core, (file) => (file.includes('/') ? file.split('/')[0] : undefined))],
  [
    'check',
    grouped(check, (file) =>
      file.includes('/') ? file.split('/').slice(0, -1).join('/') : undefined,
    ),
  ],
])(
  'docs/architecture.md lists the folders of %s once, each after those that it imports',
  (name, imports) => {
    const listed = listedFolders(name);
    expect(listed.toSorted()).toEqual([...imports.keys()].sort());
    expect(tooEarly(listed, imports)).toEqual([]);
  },
);
