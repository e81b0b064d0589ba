import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('.', import.meta.url));

/** For each module, the other modules that its sources import, without tests. */
function importsByModule(): ReadonlyMap<string, readonly string[]> {
  const modules = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return new Map(
    modules.map(({ name }) => {
      const files = readdirSync(join(root, name), { recursive: true, encoding: 'utf8' }).filter(
        (file) => file.endsWith('.ts') && !/\.(test|contract)\.ts$/.test(file),
      );
      const imported = files.flatMap((file) => {
        const path = join(root, name, file);
        const paths = [...readFileSync(path, 'utf8').matchAll(/from '(\.[^']*)'/g)].map(
          ([, to = '']) => join(dirname(path), to),
        );
        return paths.map((to) => relative(root, to).split(sep)[0] ?? '');
      });
      return [name, [...new Set(imported)].filter((to) => to !== name).sort()];
    }),
  );
}

it('no source compares texts by a language: ids are compared as strings, the same on every machine', () => {
  const packages = join(root, '../..');
  const files = readdirSync(packages).flatMap((name) => {
    const sources = join(packages, name, 'src');
    return existsSync(sources)
      ? readdirSync(sources, { recursive: true, encoding: 'utf8' }).map((file) =>
          join(sources, file),
        )
      : [];
  });
  const sources = files.filter(
    (file) => /\.tsx?$/.test(file) && !/\.(test|contract)\.ts$/.test(file),
  );
  expect(sources.length).toBeGreaterThan(500);
  expect(
    sources.filter((file) => /localeCompare|Intl\.Collator/.test(readFileSync(file, 'utf8'))),
  ).toEqual([]);
});

it('docs/architecture.md names each module and what it imports', () => {
  const page = readFileSync(join(root, '../../../docs/architecture.md'), 'utf8');
  const rows = [
    ...page.matchAll(/^\| \[(\w+)\]\(\.\.\/packages\/core\/src\/\w+\) \| .+ \| (.*) \|$/gm),
  ];
  const told = new Map(
    rows.map(([, name = '', imports = '']) => [name, imports.split(', ').filter(Boolean)]),
  );
  expect(Object.fromEntries(told)).toEqual(Object.fromEntries(importsByModule()));
});
