/**
 * Two tiers of tests, and the sample of a day: docs/testing.md.
 *
 * `npm run verify` runs all: what is tagged `proof`, and the many runs of random tests. `npm test`
 * runs a part of it, another part each day, and nothing besides: it cannot fail where
 * `npm run verify` passes.
 */
import type { Parameters } from 'fast-check';

export type Tier = 'fast' | 'test' | 'verify';

/** Each runs all that those before it run. */
export const tiers: readonly Tier[] = ['fast', 'test', 'verify'];
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

/** `npm run verify`: every element. `npm test`: `count` of them, in a row, other ones each day. */
export function sampled<T>(list: readonly T[], count: number): readonly T[] {
  if (tier === 'verify' || count >= list.length) return list;
  const first = (sampleDay * count) % list.length;
  return [...list, ...list].slice(first, first + count);
}

/**
 * For `fc.assert`. `npm run verify`: `many` runs from this seed. `npm test`: `few` of these runs,
 * in a row, other ones each day.
 */
export function runs(
  few: number,
  many: number,
  seed = sampleDay,
): Pick<Parameters, 'seed' | 'numRuns' | 'path'> {
  if (tier === 'verify' || few >= many) return { seed, numRuns: many };
  const parts = Math.floor(many / few);
  return { seed, numRuns: few, path: String((sampleDay % parts) * few) };
}

/** How many times: in `npm test`, and in `npm run verify`. */
export const times = (few: number, many: number): number => (tier === 'verify' ? many : few);

function refuse(what: string): never {
  throw new Error(what);
}
