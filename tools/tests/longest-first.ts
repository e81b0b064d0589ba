/**
 * The files whose proofs take minutes begin first. Vitest takes the longest texts first, as long as
 * it knows no times; a file that takes minutes and comes last keeps one core busy and the others
 * idle. A name that no file has any more is an error in longest-first.test.mjs.
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** As they end; in the order of what they took on 2026-11-29, from ten minutes down to one. */
export const longest: readonly string[] = [
  'tools/algorithm/mutants.test.mjs',
  'packages/algorithms/src/contract/second-opinion.test.ts',
  'packages/cli/src/course/confined.test.ts',
  'tools/algorithm/generated.test.mjs',
  'packages/examples/src/installed.test.ts',
  'packages/studio/src/browser/charts.test.ts',
  'packages/studio/src/browser/world.test.ts',
  'packages/check/src/verdicts/properties/overtaking.test.ts',
  'packages/algorithms/src/mutual-exclusion/permission/leased-majority/following.test.ts',
  'packages/coordination/src/once/schedule.test.ts',
  'packages/cli/src/checking/estimate.test.ts',
  'packages/examples/src/torture.test.ts',
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const place = longest.findIndex((path) => moduleId.endsWith(path));
      return place < 0 ? longest.length : place;
    };
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}
