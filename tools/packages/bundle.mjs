/**
 * Bundles what was built for Node: `dist/node`, which `exports` names under the condition `node`. A
 * module that Node loads takes about a millisecond whatever is in it, and an application that
 * imports `lock` would load 200 of them; in bundles it loads 70. Each package is bundled by itself,
 * with the others outside: so a module of a user meets the same classes as the command. What several
 * entries need is in chunks of its own. Browsers and their bundlers take the modules, of which they
 * leave out what is not used.
 *
 * Stack traces name the sources by source maps (`node --enable-source-maps`). `import.meta.url` in a
 * bundle is that of the module in `dist`. A package whose bundles are newer than its build is left
 * as it is; bundles that are older than their build, which only a compiler that was started by hand
 * leaves, refuse to load. A published package has no `.tsbuildinfo`.
 */
import { readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const packages = fileURLToPath(new URL('../../packages/', import.meta.url));

/** The entries by package: those of its `exports`, or the file that the command starts. */
const entriesOf = (name, { exports }) =>
  name === 'cli'
    ? { thread: 'thread.js' }
    : Object.fromEntries(
        Object.entries(exports).map(([entry, { node, default: file }]) => {
          const bundle = entry.slice(2).replaceAll('/', '-') || 'index';
          if (node !== `./dist/node/${bundle}.js`)
            throw new Error(
              `packages/${name}/package.json: '${entry}' has no bundle for Node. Write "node": "./dist/node/${bundle}.js" before "default".`,
            );
          return [bundle, file.slice('./dist/'.length)];
        }),
      );

const timeOf = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** What each entry begins with, in one line, so that source maps stay true. Deno would ask its user. */
const refusal = `{
  const fs = globalThis.Deno ? undefined : globalThis.process?.getBuiltinModule?.('node:fs');
  const time = (path) => fs?.statSync(new URL(path, import.meta.url), { throwIfNoEntry: false })?.mtimeMs;
  if (time('../.tsbuildinfo') > time('.'))
    throw new Error('The bundles for Node are older than what was built. Build both: npm run build.');
} `.replaceAll('\n', '');

/** Each module as it is in a bundle. */
const asInBundle = (dist, entries) => ({
  name: 'as in a bundle',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.js$/ }, ({ path }) => {
      const url = `new URL(${JSON.stringify(`../${relative(dist, path)}`)}, import.meta.url).href`;
      const text = readFileSync(path, 'utf8').replaceAll('import.meta.url', url);
      return { contents: entries.has(path) ? refusal + text : text };
    }),
});

for (const name of ['core', 'check', 'algorithms', 'coordination', 'studio', 'cli']) {
  const dist = join(packages, name, 'dist');
  const manifest = join(packages, name, 'package.json');
  const record = join(dist, '.tsbuildinfo');
  const sources = [record, manifest, fileURLToPath(import.meta.url)];
  if (timeOf(record) === 0) continue; // it was not built
  if (timeOf(join(dist, 'node')) > Math.max(...sources.map(timeOf))) continue;
  const entries = entriesOf(name, JSON.parse(readFileSync(manifest, 'utf8')));
  const entryPoints = Object.entries(entries).map(([out, file]) => ({ out, in: join(dist, file) }));
  const own = new Set(entryPoints.map((entry) => entry.in));
  const { build } = await import('esbuild');
  await build({
    entryPoints,
    outdir: join(dist, 'node.new'),
    bundle: true,
    splitting: true,
    chunkNames: '[name]-[hash]',
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    packages: 'external',
    sourcemap: true,
    sourcesContent: false,
    logLevel: 'warning',
    plugins: [asInBundle(dist, own)],
  });
  rmSync(join(dist, 'node'), { recursive: true, force: true });
  renameSync(join(dist, 'node.new'), join(dist, 'node'));
}
