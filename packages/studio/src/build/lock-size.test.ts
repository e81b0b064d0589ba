/**
 * What a page loads for an embedded lock by one algorithm: packages/coordination/README.md has the
 * figures.
 */
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { buildSync } from 'esbuild';
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

it.each(['locks', 'election', 'group', 'once'])(
  '%s takes no protocol along, except that an election may be by leases or a store, or held again',
  (name) => {
    const { sources } = bundled(`export * from '@conclave/coordination/${name}';`);
    expect(sources.filter((path) => /algorithms\/.*\/protocol\.ts$/.test(path))).toEqual(
      name === 'election'
        ? [
            'packages/algorithms/src/election/repeated/protocol.ts',
            'packages/algorithms/src/mutual-exclusion/permission/leased-majority/protocol.ts',
            'packages/algorithms/src/mutual-exclusion/central/lease-in-one-row/protocol.ts',
          ]
        : [],
    );
  },
);

/** The modules that are loaded where nothing is left out, as Node does. */
function loaded(contents: string): readonly string[] {
  const { metafile } = buildSync({
    stdin: { contents, resolveDir: `${root}packages/studio` },
    tsconfig: `${root}tsconfig.json`,
    absWorkingDir: root,
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    external: ['xstate', 'rxjs'],
    treeShaking: false,
    ignoreAnnotations: true,
    metafile: true,
  });
  return Object.keys(metafile.inputs);
}

it.each([
  ['/lock', []],
  ['/locks', []],
  ['/group', []],
  ['/once', []],
  ['/election', ['lease-in-one-row', 'leased-majority', 'repeated']],
  [
    '',
    [
      ...['echo-token', 'lease-in-one-row', 'leased-majority', 'multiple-entries'],
      ...['naimi-trehel', 'raymond', 'repeated'],
    ],
  ],
])('who imports %s loads the protocols %j, and no module that has all', (name, protocols) => {
  const modules = loaded(`import * as all from '@conclave/coordination${name}'; export { all };`);
  expect(
    modules
      .flatMap((path) => /algorithms\/.*\/([^/]*)\/protocol\.ts$/.exec(path)?.[1] ?? [])
      .sort(),
  ).toEqual(protocols);
  const whole = /algorithms\/src\/(index|catalogue|entries|protocols|loaders)\.ts$/;
  expect(modules.filter((path) => whole.test(path))).toEqual([]);
});
