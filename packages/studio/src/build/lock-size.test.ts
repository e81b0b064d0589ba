/**
 * What a page loads for an embedded lock by one algorithm: packages/coordination/README.md has the
 * figures.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { type BuildOptions, buildSync } from 'esbuild';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../../../', import.meta.url));

/** A module for browsers, minified, without XState and RxJS; and the sources that are in it. */
function bundled(contents: string): {
  readonly kilobytes: number;
  readonly sources: readonly string[];
} {
  const { outputFiles, metafile } = buildSync({
    stdin: { contents, resolveDir: `${root}packages/studio` },
    tsconfig: `${root}tsconfig.json`, // its paths lead to the sources
    absWorkingDir: root,
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    external: ['xstate', 'rxjs'],
    metafile: true,
  });
  const [output] = Object.values(metafile.outputs);
  const sources = Object.entries(output?.inputs ?? {}).flatMap(([path, { bytesInOutput }]) =>
    bytesInOutput > 0 ? [path] : [],
  );
  return { kilobytes: gzipSync(outputFiles[0]?.contents ?? '').length / 1000, sources };
}

const transport = "export { broadcastChannelTransport } from '@conclave/core/embedding';";

it('a lock by one algorithm takes at most 75 kB, gzipped, and has nothing of the others', () => {
  const { kilobytes, sources } = bundled(`
    export { leasedMajority } from '@conclave/algorithms/leased-majority';
    export { lock } from '@conclave/coordination/lock';
    ${transport}`);
  expect(kilobytes).toBeLessThan(75);
  const protocols = sources.filter((path) => /^packages\/algorithms\/.*\/protocol\.ts$/.test(path));
  expect(protocols).toEqual([
    'packages/algorithms/src/mutual-exclusion/permission/leased-majority/protocol.ts',
  ]);
  expect(
    sources.filter((path) =>
      /core\/src\/(simulation|exploration|chart|mutation)\/|pure-rand|croner|topology\/(parse|random)/.test(
        path,
      ),
    ),
  ).toEqual([]);
});

const { exports }: { readonly exports: Readonly<Record<string, { readonly types: string }>> } =
  JSON.parse(readFileSync(`${root}packages/coordination/package.json`, 'utf8'));

/** The source of an entry, `lock`, of the package. */
const sourceOf = (entry: string): string => {
  const { types = '' } = exports[entry === '.' ? '.' : `./${entry}`] ?? {};
  return `packages/coordination/${types.replace('dist/', 'src/').replace('.d.ts', '.ts')}`;
};

/** By entry: the protocols among its modules, and the modules; all are bundled at once. */
function modulesOf(entries: readonly string[], options: BuildOptions) {
  const { metafile } = buildSync({
    entryPoints: entries.map((entry, index) => ({ in: sourceOf(entry), out: String(index) })),
    tsconfig: `${root}tsconfig.json`,
    absWorkingDir: root,
    outdir: 'out',
    bundle: true,
    write: false,
    format: 'esm',
    external: ['xstate', 'rxjs'],
    metafile: true,
    ...options,
  });
  return entries.map((entry, index) => {
    const modules = Object.entries(metafile?.outputs[`out/${index}.js`]?.inputs ?? {});
    const used = modules.flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : []));
    const protocols = used.flatMap(
      (path) => /algorithms\/.*\/([^/]*)\/protocol\.ts$/.exec(path)?.[1] ?? [],
    );
    return { entry, protocols: protocols.sort(), modules: used };
  });
}

const ofElections = ['lease-in-one-row', 'leased-majority', 'repeated'];

it('locks, groups and jobs take no protocol along; an election may be by leases or a store, or held again', () => {
  const entries = ['locks', 'election', 'group', 'once'];
  const found = modulesOf(entries, { platform: 'browser', minify: true });
  expect(found.map(({ entry, protocols }) => [entry, protocols])).toEqual([
    ['locks', []],
    ['election', ofElections],
    ['group', []],
    ['once', []],
  ]);
});

it('who imports an entry in Node loads no other protocols, and no module that has all', () => {
  const entries = ['lock', 'locks', 'group', 'once', 'election', '.'];
  const found = modulesOf(entries, {
    platform: 'node', // nothing is left out
    ...{ treeShaking: false, ignoreAnnotations: true },
  });
  expect(found.map(({ entry, protocols }) => [entry, protocols])).toEqual([
    ['lock', []],
    ['locks', []],
    ['group', []],
    ['once', []],
    ['election', ofElections],
    [
      '.',
      [
        ...['echo-token', 'lease-in-one-row', 'leased-majority', 'multiple-entries'],
        ...['naimi-trehel', 'raymond', 'repeated'],
      ],
    ],
  ]);
  const whole = /algorithms\/src\/(index|catalogue|entries|protocols|loaders)\.ts$/;
  expect(found.flatMap(({ modules }) => modules).filter((path) => whole.test(path))).toEqual([]);
});
