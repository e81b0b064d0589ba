/** Which tests run, and with which new seeds; what is said of that at the end: docs/testing.md. */
import type { Reporter, TestModule } from 'vitest/node';
import type {} from './sample.js'; // what tests have in their meta

export type Tier = 'fast' | 'test' | 'verify';

const tiers: readonly Tier[] = ['fast', 'test', 'verify'];

export const tierOf = (mode: string): Tier =>
  tiers.find((tier) => tier === mode) ??
  refuse(`There is no mode '${mode}'. Try --mode ${tiers.join(', or --mode ')}`);

/** Which tests run: the mode of vitest, from its configuration. */
export const tier = tierOf(process.env.CONCLAVE_TIER ?? 'test');

/** All proofs and all random runs: only then can a test ask how often it has met something. */
export const isWhole = tier === 'verify';

/** `npm run verify -- --all` sets it. */
export const isAll = process.env.CONCLAVE_ALL !== undefined;

/** `npm run verify` sets it, by the date; elsewhere random tests have the seeds of their files. */
export const newSeed = seedOf(process.env.CONCLAVE_SEED);

function seedOf(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  return refuse(`CONCLAVE_SEED is '${text}'. Try a number of at most nine digits`);
}

function refuse(what: string): never {
  throw new Error(what);
}

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
