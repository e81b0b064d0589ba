import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { parseCLI } from 'vitest/node';
import { LongestFirst } from './tools/tests/longest-first.js';
import { newSeed, type Tier, tierOf, tierReporter } from './tools/tests/tier.js';

/** With slashes on each system, as the ids of modules have them. */
const at = (path: string) => fileURLToPath(new URL(path, import.meta.url)).replaceAll('\\', '/');
const folders = [
  'core',
  'check',
  'algorithms',
  'coordination',
  'studio',
  ...readdirSync(at('packages/transports')).map((name) => `transports/${name}`),
];

/** The entries of each package, in its sources. */
const sources = folders.flatMap((folder) => {
  const { name, exports }: { name: string; exports: Record<string, { types: string }> } =
    JSON.parse(readFileSync(at(`packages/${folder}/package.json`), 'utf8'));
  return Object.entries(exports).map(([entry, { types }]) => ({
    find: new RegExp(`^${name}${entry.slice(1)}$`),
    replacement: at(`packages/${folder}/${types.replace('dist/', 'src/').replace('.d.ts', '.ts')}`),
  }));
});

/** Pages, processes, servers and browsers: `npm run test:fast` leaves them to `npm test`. */
const slow = ['packages/{cli,examples,studio,transports}/**', 'tools/**'];

/** Files that share no modules with others: they replace a module, or act as a process. */
const isolated = [
  'packages/core/src/embedding/node/file-storage.test.ts',
  'packages/cli/src/input/module.test.ts',
];

/**
 * Which tests run. `vitest run --mode verify` says so; a run of chosen files, or of those that a
 * change concerns, has their proofs: docs/testing.md.
 */
function tierOfRun(mode: string): Tier {
  const [, program = '', ...words] = process.argv;
  if (!/vitest(\.mjs)?$/.test(program)) return 'test'; // knip reads this file, too
  const { filter, options } = parseCLI(['vitest', ...words], { allowUnknownOptions: true });
  if (options.mode) return tierOf(mode);
  return filter.length > 0 || options.changed ? 'verify' : 'test';
}

export default defineConfig(({ mode }) => {
  const tier = tierOfRun(mode);

  /** Where algorithms are loaded while a program runs, by a dynamic import. */
  const loading = ['algorithms/src/loaders', 'cli/src/commands/list'];
  /**
   * Vitest does not follow an import whose name is computed. Otherwise a change of one machine
   * would select all tests of the command line and of the studio.
   */
  const unfollowed = {
    name: 'unfollowed',
    enforce: 'pre' as const,
    transform: (code: string, id: string) =>
      loading.some((file) => id === at(`packages/${file}.ts`))
        ? code.replaceAll("import('", "import('' + '")
        : undefined,
  };

  /** In the tests XState confirms each step of an embedded node. */
  const confirmed = {
    name: 'confirmed',
    enforce: 'pre' as const,
    transform: (code: string, id: string) =>
      id === at('packages/core/src/embedding/usual-confirm.ts')
        ? code.replace("= 'sample'", "= 'all'")
        : undefined,
  };

  /** Tests run against the sources; what users import is checked by `npm run check:packages`. */
  const project = (
    test: TestProjectInlineConfiguration['test'],
  ): TestProjectInlineConfiguration => ({
    resolve: { alias: sources },
    plugins: [unfollowed, confirmed],
    // a mock would outlive its file where files share modules
    test: {
      includeTaskLocation: tier === 'fast', // tools/tests/setup.ts
      testTimeout: 600_000, // ten times what the longest proof needs on a slow machine
      hookTimeout: 600_000,
      expect: { poll: { timeout: 60_000 } },
      restoreMocks: true,
      setupFiles: at('tools/tests/setup.ts'),
      runner: at('tools/tests/runner.ts'),
      env: { CONCLAVE_TIER: tier, CONCLAVE_SEED: String(newSeed ?? '') },
      ...test,
    },
  });

  return {
    test: {
      projects: [
        // Modules that are loaded and compiled once for many files save a fifth of the time.
        project({
          name: 'shared',
          include: [
            'packages/*/src/**/*.test.ts',
            'packages/transports/*/src/**/*.test.ts',
            'tools/**/*.test.mjs',
          ],
          exclude: [...isolated, ...(tier === 'fast' ? slow : [])],
          isolate: false,
        }),
        project({ name: 'isolated', include: tier === 'fast' ? [] : isolated }),
      ],
      reporters: ['default', ['json', { outputFile: 'reports/vitest.json' }], tierReporter(tier)],
      sequence: { sequencer: LongestFirst },
      maxWorkers: availableParallelism(), // by default vitest leaves one core free
    },
  };
});
