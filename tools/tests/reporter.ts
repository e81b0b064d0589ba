/** Says at the end which tests ran, and how to run them again: docs/testing.md. */
import type { Reporter, TestModule } from 'vitest/node';
import type {} from './sample.js'; // what tests have in their meta
import { newSeed, type Tier } from './tier.js';

const said: Readonly<Record<Tier, string>> = {
  fast: 'npm test has more cases of each table, pages, processes, servers and browsers',
  test: 'Proofs are left to npm run verify; npx vitest run <folder> runs those of a folder',
  verify: 'All proofs ran',
};

export const tierReporter = (tier: Tier): Reporter => ({
  onTestRunEnd(modules: readonly TestModule[]) {
    const tests = modules.flatMap(({ children }) => [...children.allTests()]);
    const left = tests.filter((test) => test.meta().isLeftToTest).length;
    console.log(`${said[tier]}.${left > 0 ? ` Left to npm test: ${left} tests.` : ''}`);
    if (newSeed !== undefined)
      console.log(
        `New seeds: ${newSeed}. Again: CONCLAVE_SEED=${newSeed} npx vitest run --mode ${tier} <file>`,
      );
  },
});
