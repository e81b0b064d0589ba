/** Leaves out the tests of other tiers once a file is collected; the reporter counts them. */
import fc from 'fast-check';
import { type RunnerTestCase, type RunnerTestFile, type TestContext, TestRunner } from 'vitest';
import { sampleDay, type Tier, tier, tiers } from './sample.js';

declare module 'vitest' {
  interface TestTags {
    tag: 'proof' | 'slow';
  }
  interface TaskMeta {
    /** The least tier that runs this test, where it was left out. */
    leftTo?: Tier;
  }
}

// without a seed of their own, random tests draw the same runs all day
fc.configureGlobal({ seed: sampleDay });

/** `npm test` runs each proof once in so many days. */
const period = 20;

/** So that the proofs of a day are spread over the files. */
const offset = (name: string) => [...name].reduce((sum, letter) => sum + letter.charCodeAt(0), 0);

/** The number of the file's next proof. */
const places = new WeakMap<RunnerTestFile, number>();

function leastTier({ tags = [], file }: RunnerTestCase): Tier {
  if (!tags.includes('proof')) return tags.includes('slow') ? 'test' : 'fast';
  const place = places.get(file) ?? sampleDay + offset(file.name);
  places.set(file, place + 1);
  return place % period === 0 ? 'test' : 'verify';
}

// biome-ignore lint/style/noDefaultExport: vitest loads a runner by its default export
export default class extends TestRunner {
  /** Each test has its context before vitest looks which tests to run. */
  override extendTaskContext(context: TestContext): TestContext {
    // vitest types the task of a context as read-only
    const test = context.task as RunnerTestCase;
    const least = leastTier(test);
    if (tiers.indexOf(least) > tiers.indexOf(tier) && test.mode === 'run') {
      test.mode = 'skip';
      test.meta.leftTo = least;
    }
    return super.extendTaskContext(context);
  }
}
