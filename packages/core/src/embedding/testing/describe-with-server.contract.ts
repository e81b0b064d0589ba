import { describe, it } from 'vitest';
import { missingServer } from './servers.js';

/**
 * A `describe` for tests that start server `server`. Where its binary is missing, they are skipped,
 * with a test that says so and how to get it; with `CI` in the environment, that test fails.
 */
export function describeWithServer(
  server: 'nats-server' | 'redis-server',
  name: string,
  tests: () => void,
): void {
  const missing = missingServer(server);
  describe.skipIf(missing !== undefined)(name, tests);
  if (missing === undefined) return;
  it(`${name}: ${missing}`, (context) => {
    if (process.env.CI) throw new Error(missing);
    console.warn(`SKIPPED: ${name}. ${missing}`);
    context.skip(missing);
  });
}
