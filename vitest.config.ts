import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const rooms = ['embedding/node', 'embedding/testing', ...readdirSync(at('packages/core/src'))]; // the longer name first: a prefix matches too
const transports = readdirSync(at('packages/transports'));

/** Files that share no modules with others: they replace a module, or act as a process. */
const isolated = [
  'packages/core/src/exploration/strategies.test.ts',
  'packages/core/src/embedding/node/file-storage.test.ts',
  'packages/cli/src/input/*.test.ts',
];

/** Tests run against the sources; what users import is checked by `npm run check:packages`. */
const project = (test: TestProjectInlineConfiguration['test']): TestProjectInlineConfiguration => ({
  resolve: {
    alias: [
      ...rooms.map((room) => ({ find: `@conclave/core/${room}`, replacement: at(`packages/core/src/${room}/index.ts`) })),
      ...transports.map((name) => ({ find: `@conclave/transport-${name}`, replacement: at(`packages/transports/${name}/src/index.ts`) })),
      { find: '@conclave/studio/link', replacement: at('packages/studio/src/link/index.ts') },
      { find: '@conclave/studio', replacement: at('packages/studio/src/index.ts') },
      { find: '@conclave/algorithms/load', replacement: at('packages/algorithms/src/load.ts') },
      { find: '@conclave/algorithms/opentelemetry', replacement: at('packages/algorithms/src/opentelemetry.ts') },
      { find: '@conclave/algorithms', replacement: at('packages/algorithms/src/index.ts') },
    ],
  },
  test: { testTimeout: 60_000, restoreMocks: true, ...test }, // a mock would outlive its file where files share modules
});

export default defineConfig({
  test: {
    projects: [
      // Modules that are loaded and compiled once for many files save a fifth of the time.
      project({
        name: 'shared',
        include: ['packages/*/src/**/*.test.ts', 'packages/transports/*/src/**/*.test.ts', 'site/*.test.mjs', 'torture/**/*.test.mjs'],
        exclude: isolated,
        isolate: false,
      }),
      project({ name: 'isolated', include: isolated }),
    ],
    reporters: ['default', ['json', { outputFile: 'reports/vitest.json' }]],
    maxWorkers: availableParallelism(), // by default vitest leaves one core free
  },
});
