/** Looks for import cycles in the sources of every package; a type import counts as well. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, it } from 'vitest';

const packages = join(import.meta.dirname, '..', '..');

type Imports = ReadonlyMap<string, readonly string[]>;

function importsIn(folder: string): Imports {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /(?<!\.test|\.contract)\.tsx?$/.test(file),
  );
  const modules = new Set(files.map((file) => join(folder, file)));
  const imported = (file: string) =>
    [...readFileSync(file, 'utf8').matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)\.js'/g)].flatMap(
      ([, path = '']) => [join(file, '..', `${path}.ts`), join(file, '..', `${path}.tsx`)],
    );
  return new Map(
    [...modules].map((file) => [file, imported(file).filter((other) => modules.has(other))]),
  );
}

function reachable(imports: Imports, from: string): ReadonlySet<string> {
  const found = new Set<string>();
  const open = [from];
  for (const file of open)
    for (const next of imports.get(file) ?? []) {
      if (found.has(next)) continue;
      found.add(next);
      open.push(next);
    }
  return found;
}

/**
 * The modules that import each other, directly or not: one text for each strongly connected
 * component.
 */
function cyclesIn(imports: Imports, folder: string): readonly string[] {
  const reached = new Map([...imports.keys()].map((file) => [file, reachable(imports, file)]));
  const components = [...reached].flatMap(([file, others]) =>
    others.has(file)
      ? [
          [...others]
            .filter((other) => reached.get(other)?.has(file))
            .map((other) => relative(folder, other).replace(/\.tsx?$/, ''))
            .sort()
            .join(' '),
        ]
      : [],
  );
  return [...new Set(components)];
}

const names = [
  ...readdirSync(packages).filter((name) => name !== 'transports'),
  ...readdirSync(join(packages, 'transports')).map((name) => `transports/${name}`),
];

it.each(names)('no module of %s is in an import cycle', (name) => {
  const folder = join(packages, name, 'src');
  const imports = importsIn(folder);
  expect(imports.size).toBeGreaterThan(0);
  expect(cyclesIn(imports, folder)).toEqual([]);
});

it('finds a cycle, and only the modules in it', () => {
  const imports = new Map([
    ['/a.ts', ['/b.ts']],
    ['/b.ts', ['/c.ts', '/d.ts']],
    ['/c.ts', ['/a.ts']],
    ['/d.ts', []],
  ]);
  expect(cyclesIn(imports, '/')).toEqual(['a b c']);
});
