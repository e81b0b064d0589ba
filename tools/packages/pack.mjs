/**
 * Packs each public package as it is published, with real versions instead of `workspace:` and
 * `catalog:`.
 *
 *     node tools/packages/pack.mjs <folder>           prints the tarballs
 *     node tools/packages/pack.mjs <folder> --json    as JSON
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = new URL('../../', import.meta.url);

const within = (folder) =>
  readdirSync(new URL(`../../${folder}/`, import.meta.url)).map((name) => `${folder}/${name}`);

/** The folders of all packages, such as `packages/core`, relative to the root. */
export const packageFolders = [
  ...within('packages').filter((folder) => folder !== 'packages/transports'),
  ...within('packages/transports'),
];

/** The manifests of the public packages; each package comes after its dependencies. */
export function publicManifests() {
  const manifests = packageFolders
    .map((folder) => JSON.parse(readFileSync(new URL(`${folder}/package.json`, root), 'utf8')))
    .filter((manifest) => !manifest.private);
  const rank = ({ dependencies }) => manifests.filter(({ name }) => name in dependencies).length;
  return manifests.sort((a, b) => rank(a) - rank(b));
}

/**
 * Each of these packages, by default all public ones: its manifest, its tarball, and the paths in
 * the tarball. Run `tsc -b` before.
 */
export function pack(folder, manifests = publicManifests()) {
  const filters = manifests.flatMap(({ name }) => ['--filter', name]);
  const options = ['--config.ignore-scripts=true', '--json', '--pack-destination', resolve(folder)];
  const command = ['run', '--silent', 'pnpm', '--', '--recursive', ...filters, 'pack', ...options];
  mkdirSync(folder, { recursive: true });
  const packed = JSON.parse(
    execFileSync('npm', command, {
      cwd: root,
      encoding: 'utf8',
      shell: process.platform === 'win32', // npm is a script there
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  );
  return manifests.map((manifest) => {
    const { filename, files } = packed.find(({ name }) => name === manifest.name);
    return { manifest, tarball: filename, paths: files.map(({ path }) => path) };
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [folder = '.', as] = process.argv.slice(2);
  const packed = pack(folder).map(({ manifest, tarball }) => ({
    name: manifest.name,
    version: manifest.version,
    tarball,
  }));
  if (as === '--json') console.log(JSON.stringify(packed));
  else for (const { tarball } of packed) console.log(tarball);
}
