/**
 * Tiers of tests, the same every day: docs/testing.md.
 *
 * `npm run verify` and a run of chosen files have all tests: the proofs, and the many runs of random
 * tests. `npm test` has a part of them, chosen by cost: what is left out is not registered, so that
 * *skipped* says that the machine lacks something. `npm run test:fast` runs a part of `npm test`.
 */
import fc from 'fast-check';
import { it, type RunnerTestCase, TestRunner } from 'vitest';
import { isAll, isWhole, newSeed, tier } from './tier.js';

export { isWhole };

declare module 'vitest' {
  interface TaskMeta {
    isLeftToTest?: boolean;
  }
}

const leaveOut = (): object => unregistered;
const unregistered = Object.assign(leaveOut, { each: leaveOut, for: leaveOut, runIf: leaveOut });

/**
 * In place of `it`: a test that is exhaustive, or repeated a thousand times, or takes seconds.
 * `npm test` leaves it out.
 */
// a test that is not registered takes what `it` takes
export const proof: typeof it = isWhole ? it : (unregistered as unknown as typeof it);

/** Cases of a table that take seconds: `npm test` leaves out those that are not quick. */
export const quickOf = <const T>(
  cases: readonly T[],
  isQuick: (one: T) => boolean,
): readonly T[] => (isWhole ? cases : cases.filter(isQuick));

/** All; in `npm test`, `count` of them, evenly spread; in `npm run test:fast`, the first. */
export function sampled<T>(list: readonly T[], count: number): readonly T[] {
  if (isWhole || count >= list.length) return tier === 'fast' ? list.slice(0, 1) : list;
  return spread(list, tier === 'fast' ? 1 : count);
}

const spread = <T>(list: readonly T[], count: number): readonly T[] =>
  list.filter(
    (_, at) =>
      Math.floor(((at + 1) * count) / list.length) > Math.floor((at * count) / list.length),
  );

/**
 * All where files are chosen, and by `npm run verify -- --all`; else `count` of them, evenly spread:
 * of a table whose cases take ten seconds each, and show the same.
 */
export const ofLong = <T>(list: readonly T[], count: number): readonly T[] =>
  newSeed === undefined || isAll ? list : spread(list, count);

/**
 * `fc.assert` on random runs: `few` in `npm test`, `many` where all tests run, always the same.
 * `npm run verify` adds half as many with a new seed, which a failure prints: write that seed into a
 * test of its own.
 */
export function assertRuns<T>(
  property: fc.IAsyncProperty<T>,
  few: number,
  many: number,
  seed?: number,
): Promise<void>;
export function assertRuns<T>(
  property: fc.IProperty<T>,
  few: number,
  many: number,
  seed?: number,
): void;
export function assertRuns<T>(
  property: fc.IRawProperty<T>,
  few: number,
  many: number,
  seed = 1,
): Promise<void> | void {
  const first = fc.assert(property, { seed, numRuns: times(few, many) });
  if (newSeed === undefined || !isWhole) return first;
  const others = { seed: seed + 1_000 * newSeed, numRuns: Math.ceil(many / 2) };
  return first ? first.then(() => fc.assert(property, others)) : fc.assert(property, others);
}

/** How many times: `many` where all tests run, `few` in `npm test`, a fifth of it in the fast ones. */
export const times = (few: number, many: number): number =>
  isWhole ? many : tier === 'fast' ? Math.ceil(few / 5) : few;

/** The first line of a test that `npm run test:fast` leaves to `npm test`. */
export function leftToTest(): void {
  if (tier !== 'fast') return;
  const test = currentTest();
  test.meta.isLeftToTest = true;
  test.context.skip('left to npm test');
}

function currentTest(): RunnerTestCase {
  const test = TestRunner.getCurrentTest();
  if (!test) throw new Error('Only a test can be left to another tier');
  return test;
}
