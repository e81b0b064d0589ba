/** Which tests run, and of which day: docs/testing.md. */

export type Tier = 'fast' | 'test' | 'verify';

const tiers: readonly Tier[] = ['fast', 'test', 'verify'];

export const tierOf = (mode: string): Tier =>
  tiers.find((tier) => tier === mode) ??
  refuse(`There is no mode '${mode}'. Try --mode ${tiers.join(', or --mode ')}`);

/** Which tests run: the mode of vitest, from its configuration. */
export const tier = tierOf(process.env.CONCLAVE_TIER ?? 'test');

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
