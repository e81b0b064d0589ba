/** Says at the end which tests were left out, and how to run them: docs/testing.md. */
import type { Reporter, TestModule } from 'vitest/node';
import './runner.js'; // for the type of meta
import { sampleDate, tier } from './sample.js';

const number = (value: number) => value.toLocaleString('en');

export const tierReporter: Reporter = {
  onTestRunEnd(modules: readonly TestModule[]) {
    const tests = modules.flatMap(({ children }) => [...children.allTests()]);
    const leftTo = (tier: string) => tests.filter((test) => test.meta().leftTo === tier).length;
    const proofs = tests.filter(({ tags }) => tags.includes('proof'));
    const ran = proofs.filter((test) => test.result().state !== 'skipped').length;
    console.log(
      tier === 'verify'
        ? `All proofs: ${number(ran)}, with the random runs of ${sampleDate}.`
        : `Only npm run verify runs ${number(leftTo('verify'))} of these tests${
            tier === 'fast' ? `, only npm test ${number(leftTo('test'))}` : ''
          }. Of its proofs ${number(ran)} ran, the sample of ${sampleDate}.`,
    );
    console.log(`Again: CONCLAVE_SAMPLE=${sampleDate} CONCLAVE_TIER=${tier} npx vitest run <file>`);
  },
};
