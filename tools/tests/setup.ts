/** Before each file of tests. */
import fc from 'fast-check';
import { beforeEach, type RunnerTestCase } from 'vitest';
import { leftToTest } from './sample.js';
import { newSeed, tier } from './tier.js';

// random tests without a seed of their own
fc.configureGlobal({ seed: newSeed ?? 1 });

if (tier === 'fast')
  beforeEach(({ task }) => {
    if (!isFirst(task)) leftToTest();
  });

/** Of the cases of one table, or of one loop. */
function isFirst({ suite, file, id, location }: RunnerTestCase): boolean {
  const { tasks } = suite ?? file;
  const before = tasks[tasks.findIndex((task) => task.id === id) - 1];
  return before?.location?.line !== location?.line;
}
