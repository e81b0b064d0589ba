/** In a checkout the command runs what was built: an edit must not be judged by the build before it. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** By folder of sources: the file whose time is that of their last build. */
const builds: readonly (readonly [sources: string, built: string])[] = [
  ...['core', 'check', 'algorithms', 'coordination', 'studio', 'cli'].map(
    (name) => [`${name}/src`, `${name}/dist/.tsbuildinfo`] as const,
  ),
  ['check/kernel', 'check/src/search/kernel/binary.ts'],
];

/** Folders and files that the build leaves out. */
const unbuilt = /^(fixtures|template)$|\.(test|contract)\.ts$/;

/**
 * A source that was changed after its package was built. None in published packages: they lack the
 * record of the compiler, `.tsbuildinfo`.
 *
 * @param packages the folder of the packages
 */
export function newerSource(packages: string): string | undefined {
  for (const [sources, record] of builds) {
    const built = timeOf(join(packages, record));
    const folder = join(packages, sources);
    const newer = built && existsSync(folder) && newerIn(folder, built);
    if (newer) return newer;
  }
  return undefined;
}

const timeOf = (file: string): number | undefined =>
  statSync(file, { throwIfNoEntry: false })?.mtimeMs;

function newerIn(folder: string, built: number): string | undefined {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (unbuilt.test(entry.name)) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      const newer = newerIn(path, built);
      if (newer) return newer;
    } else if (/\.tsx?$/.test(entry.name) && (timeOf(path) ?? 0) > built) return path;
  }
  return undefined;
}
