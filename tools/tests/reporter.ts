/** Says at the end which tests were left out, and how to run them: docs/testing.md. */
import type { Reporter, TestModule } from 'vitest/node';
import type {} from './sample.js'; // what tests have in their meta
import { sampleDate, type Tier } from './tier.js';

const number = (value: number) => value.toLocaleString('en');

export const tierReporter = (tier: Tier): Reporter => ({
  onTestRunEnd(modules: readonly TestModule[]) {
    const tests = modules.flatMap(({ children }) => [...children.allTests()]);
    const leftTo = (tier: string) => tests.filter((test) => test.meta().leftTo === tier).length;
    const proofs = tests.filter((test) => test.meta().isProof).length;
    const left = leftTo('verify');
    const ran = number(proofs - left);
    if (tier === 'verify') console.log(`All proofs ran: ${ran}. Random runs of ${sampleDate}.`);
    else
      console.log(
        `Left to npm run verify: ${number(left)} tests${
          tier === 'fast' ? `; to npm test: ${number(leftTo('test'))}` : ''
        }. The sample of ${sampleDate} ran ${ran} proofs.`,
      );
    console.log(`Again: CONCLAVE_SAMPLE=${sampleDate} npx vitest run --mode ${tier} <file>`);
  },
});
