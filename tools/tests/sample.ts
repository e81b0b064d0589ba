/**
 * Two tiers of tests, and the sample of a day: docs/testing.md.
 *
 * `npm run verify` runs all: the proofs, and the many runs of random tests. `npm test` runs a part
 * of that, another part each day, and nothing besides: it cannot fail where `npm run verify`
 * passes. `npm run test:fast` runs a part of `npm test`.
 */
import type { Parameters } from 'fast-check';
import { type RunnerTestCase, type RunnerTestSuite, TestRunner } from 'vitest';
import { isWhole, sampleDay, type Tier, tier } from './tier.js';

export { isWhole };

declare module 'vitest' {
  interface TaskMeta {
    /** The least tier that runs this test, where it was left out. */
    leftTo?: Tier;
    isProof?: boolean;
  }
}

/**
 * The first line of a test that is exhaustive, or repeated a thousand times: `npm run verify` runs
 * it, and `npm test` on one day in 83.
 */
export const proof = (): void => oneDayIn(83);

/** The first line of a test of seconds: `npm run verify` runs it, and `npm test` on some days. */
export function oneDayIn(period: number): void {
  const test = currentTest();
  test.meta.isProof = true;
  const isToday = (sampleDay + offset(test.file.name) + placeOf(test)) % period === 0;
  if (tier === 'fast' || (tier === 'test' && !isToday)) leave(test, 'verify');
}

/** The first line of a test that needs all others of its file, or minutes. */
export function leftToVerify(): void {
  const test = currentTest();
  test.meta.isProof = true;
  if (!isWhole) leave(test, 'verify');
}

/** The first line of a test that `npm run test:fast` leaves to `npm test`. */
export function leftToTest(): void {
  if (tier === 'fast') leave(currentTest(), 'test');
}

/**
 * `npm run verify`: every element. `npm test`: `count` of them, in a row, other ones each day.
 * `npm run test:fast`: the first of those.
 */
export function sampled<T>(list: readonly T[], count: number): readonly T[] {
  if (isWhole) return list;
  const first = count < list.length ? (sampleDay * count) % list.length : 0;
  return [...list, ...list].slice(
    first,
    first + (tier === 'fast' ? 1 : Math.min(count, list.length)),
  );
}

/**
 * For `fc.assert`. `npm run verify`: `many` runs from this seed. `npm test`: half of `few`, in a
 * row, other ones each day. `npm run test:fast`: a tenth of `few`.
 */
export function randomRuns(
  few: number,
  many: number,
  seed = sampleDay,
): Pick<Parameters, 'seed' | 'numRuns' | 'path'> {
  if (isWhole) return { seed, numRuns: many };
  const runs = Math.ceil(few / 2);
  const parts = Math.max(1, Math.floor(many / runs));
  return { seed, numRuns: times(few, many), path: String((sampleDay % parts) * runs) };
}

/** How many times: `many` in `npm run verify`, half of `few` in `npm test`, else a tenth of it. */
export const times = (few: number, many: number): number =>
  isWhole ? many : Math.ceil(few / (tier === 'fast' ? 10 : 2));

function currentTest(): RunnerTestCase {
  const test = TestRunner.getCurrentTest();
  if (!test) throw new Error('Only a test can be left to another tier');
  return test;
}

function leave(test: RunnerTestCase, to: Tier): never {
  test.meta.leftTo = to;
  return test.context.skip(`left to ${to === 'test' ? 'npm test' : 'npm run verify'}`);
}

/** So that the proofs of a day are spread over the files, and over each of them. */
const offset = (name: string) => [...name].reduce((sum, letter) => sum + letter.charCodeAt(0), 0);

const places = new WeakMap<RunnerTestSuite, ReadonlyMap<string, number>>();

function placeOf({ file, id }: RunnerTestCase): number {
  const known =
    places.get(file) ?? new Map(casesOf(file).map(({ id }, place) => [id, place] as const));
  places.set(file, known);
  return known.get(id) ?? 0;
}

function casesOf({ tasks }: RunnerTestSuite): readonly RunnerTestCase[] {
  return tasks.flatMap((task) => (task.type === 'suite' ? casesOf(task) : [task]));
}
