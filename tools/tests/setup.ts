/**
 * Before each file of tests: random tests get a seed, and `npm run test:fast` keeps one case of each
 * table and of each loop.
 *
 * Vitest makes each row of `it.each` a test of its own, and does not say that they belong together.
 * But all of them stand on one line of the file: a test on the line of the one before it is a further
 * case.
 */
import fc from 'fast-check';
import { beforeEach, type RunnerTestCase } from 'vitest';
import { leftToTest } from './sample.js';
import { newSeed, tier } from './tier.js';

fc.configureGlobal({ seed: newSeed ?? 1 }); // for those without a seed of their own

if (tier === 'fast')
  beforeEach(({ task }) => {
    if (isFurtherCase(task)) leftToTest();
  });

function isFurtherCase({ suite, file, id, location }: RunnerTestCase): boolean {
  const { tasks } = suite ?? file;
  const before = tasks[tasks.findIndex((task) => task.id === id) - 1];
  return before?.location?.line === location?.line;
}
