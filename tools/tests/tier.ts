/** Which tests run, and of which day: docs/testing.md. */

export type Tier = 'fast' | 'test' | 'verify';

const tiers: readonly Tier[] = ['fast', 'test', 'verify'];
const named = process.env.CONCLAVE_TIER ?? 'test';

/** Which tests run: set by the scripts of package.json. */
export const tier: Tier =
  tiers.find((tier) => tier === named) ??
  refuse(`CONCLAVE_TIER is '${named}'. Try one of ${tiers.join(', ')}`);

/** Such as `2026-11-26`: which part of the proofs `npm test` runs. */
export const sampleDate = process.env.CONCLAVE_SAMPLE ?? new Date().toISOString().slice(0, 10);

/** Days since 1970. */
export const sampleDay =
  /^\d{4}-\d\d-\d\d$/.test(sampleDate) && !Number.isNaN(Date.parse(sampleDate))
    ? Date.parse(sampleDate) / 86_400_000
    : refuse(`CONCLAVE_SAMPLE is '${sampleDate}'. Try a date such as 2026-11-26`);

/** All proofs and all random runs: only then can a test ask how often it has met something. */
export const isWhole = tier === 'verify';

function refuse(what: string): never {
  throw new Error(what);
}
