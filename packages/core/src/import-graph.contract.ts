/** Who imports whom, read from the sources; a type import counts as well. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';

/** By file or folder: those that it imports. */
export type Imports = ReadonlyMap<string, readonly string[]>;

/** The sources below a folder, without tests. */
export const sourcesIn = (folder: string): readonly string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((file) => /(?<!\.test|\.contract)\.tsx?$/.test(file))
        .map((file) => file.replaceAll('\\', '/')) // as Windows lists them
    : [];

/** By source below a folder: the others that it imports; all are relative to the folder. */
export function importsIn(folder: string): Imports {
  const files = new Set(sourcesIn(folder));
  const imported = (file: string) =>
    [
      ...readFileSync(join(folder, file), 'utf8').matchAll(
        /(?:from|import)\s*\(?\s*'(\.[^']+)\.js'/g,
      ),
    ].flatMap(([, path = '']) => {
      const to = join(dirname(file), path);
      return [`${to}.ts`, `${to}.tsx`];
    });
  return new Map(
    [...files].map((file) => [file, imported(file).filter((other) => files.has(other))]),
  );
}

/** The imports between groups of files; `groupOf`: undefined for a file that belongs to none. */
export function grouped(imports: Imports, groupOf: (file: string) => string | undefined): Imports {
  const groups = new Map<string, Set<string>>();
  for (const [file, others] of imports) {
    const group = groupOf(file);
    if (group === undefined) continue;
    const known = groups.get(group) ?? new Set();
    groups.set(group, known);
    for (const to of others.map(groupOf)) if (to !== undefined && to !== group) known.add(to);
  }
  return new Map([...groups].map(([group, others]) => [group, [...others].sort()]));
}

function reachable(imports: Imports, from: string): ReadonlySet<string> {
  const found = new Set<string>();
  const open = [from];
  for (const at of open)
    for (const next of imports.get(at) ?? []) {
      if (found.has(next)) continue;
      found.add(next);
      open.push(next);
    }
  return found;
}

/** Those that import each other, directly or not: one text for each strongly connected component. */
export function cyclesIn(imports: Imports): readonly string[] {
  const reached = new Map([...imports.keys()].map((from) => [from, reachable(imports, from)]));
  const components = [...reached].flatMap(([from, others]) =>
    others.has(from)
      ? [
          [...others]
            .filter((other) => reached.get(other)?.has(from))
            .sort()
            .join(' '),
        ]
      : [],
  );
  return [...new Set(components)];
}
