/**
 * Packs each public package as it is published, with real versions in place of `workspace:` and `catalog:`.
 *
 *     node scripts/pack.mjs <folder>    prints what it has packed, as JSON
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = new URL('../', import.meta.url);

/** The manifests of the public packages; each package stands after those that it depends on. */
function publicManifests() {
  const manifests = readdirSync(new URL('packages/', root))
    .map((name) => JSON.parse(readFileSync(new URL(`packages/${name}/package.json`, root), 'utf8')))
    .filter((manifest) => !manifest.private);
  const rank = ({ dependencies }) => manifests.filter(({ name }) => name in dependencies).length;
  return manifests.sort((a, b) => rank(a) - rank(b));
}

/** For each public package its manifest, the tarball, and the paths in it; `tsc -b` must have run. */
export function pack(folder) {
  const manifests = publicManifests();
  const filters = manifests.flatMap(({ name }) => ['--filter', name]);
  const options = ['--config.ignore-scripts=true', '--json', '--pack-destination', resolve(folder)];
  const command = ['run', '--silent', 'pnpm', '--', '--recursive', ...filters, 'pack', ...options];
  const packed = JSON.parse(execFileSync('npm', command, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }));
  return manifests.map((manifest) => {
    const { filename, files } = packed.find(({ name }) => name === manifest.name);
    return { manifest, tarball: filename, paths: files.map(({ path }) => path) };
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const packed = pack(process.argv[2] ?? '.');
  console.log(JSON.stringify(packed.map(({ manifest: { name, version }, tarball }) => ({ name, version, tarball }))));
}
