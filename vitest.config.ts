import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const rooms = readdirSync(at('packages/core/src'));

/** Tests run against the sources; what users import is checked by `npm run check:packages`. */
export default defineConfig({
  resolve: {
    alias: [
      ...rooms.map((room) => ({ find: `@conclave/core/${room}`, replacement: at(`packages/core/src/${room}/index.ts`) })),
      { find: '@conclave/algorithms', replacement: at('packages/algorithms/src/index.ts') },
    ],
  },
  test: {
    include: ['packages/*/src/**/*.test.ts'],
    reporters: ['default', ['json', { outputFile: 'reports/vitest.json' }]],
    testTimeout: 60_000,
    maxWorkers: availableParallelism(), // by default vitest leaves one core free
  },
});
