/**
 * What is installed: its version; and in a checkout, where the command runs what was built, whether a
 * source is newer, since an edit must not be judged by the build before it.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

const manifest: { readonly version: string } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
);

/** The version of this package. */
export const { version } = manifest;

/** By folder of sources: the file whose time is that of their last build. */
const builds: readonly (readonly [sources: string, built: string])[] = [
  ...['core', 'check', 'algorithms', 'coordination', 'studio', 'cli'].map(
    (name) => [`${name}/src`, `${name}/dist/.tsbuildinfo`] as const,
  ),
  ['check/kernel', 'check/src/search/kernel/binary.ts'],
];

/**
 * What the build leaves out of a package, by its tsconfig: files by their ends, such as `.test.ts`, and
 * folders, such as `src/contract`.
 */
function unbuiltIn(folder: string): (path: string) => boolean {
  const config = join(folder, 'tsconfig.json');
  if (!existsSync(config)) return () => false;
  const { exclude = [] }: { readonly exclude?: readonly string[] } = JSON.parse(
    readFileSync(config, 'utf8'),
  );
  return (path) =>
    exclude.some((pattern) => {
      const star = pattern.lastIndexOf('*');
      return star < 0 ? path === join(folder, pattern) : path.endsWith(pattern.slice(star + 1));
    });
}

/**
 * A source that was changed after its package was built, or the record of the compiler,
 * `.tsbuildinfo`, where the bundles for Node are older. None in published packages: they lack that
 * record.
 *
 * @param packages the folder of the packages
 */
export function newerSource(packages: string): string | undefined {
  for (const [sources, record] of builds) {
    const built = timeOf(join(packages, record));
    const folder = join(packages, sources);
    const newer = built && existsSync(folder) && newerIn(folder, built, unbuiltIn(dirname(folder)));
    if (newer) return newer;
    const bundled = timeOf(join(packages, dirname(record), 'node'));
    if (built && bundled && bundled < built) return join(packages, record);
  }
  return undefined;
}

const timeOf = (file: string): number | undefined =>
  statSync(file, { throwIfNoEntry: false })?.mtimeMs;

function newerIn(
  folder: string,
  built: number,
  isUnbuilt: (path: string) => boolean,
): string | undefined {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (isUnbuilt(path)) continue;
    if (entry.isDirectory()) {
      const newer = newerIn(path, built, isUnbuilt);
      if (newer) return newer;
    } else if (/\.tsx?$/.test(entry.name) && (timeOf(path) ?? 0) > built) return path;
  }
  return undefined;
}
