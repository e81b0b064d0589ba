/** Grades as other systems read them. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { attempt } from '../errors.js';
import type { Grade } from './grade.js';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Writes `results.json`, as Gradescope reads it, and in a run of Classroom 50 also `result.json`.
 *
 * @throws {ConclaveError} `bad-input` where they cannot be written.
 */
export function writeResults(folder: string, grade: Grade, environment: Environment): void {
  const own = classroom50(grade, environment);
  const files = { 'results.json': gradescope(grade), ...(own && { 'result.json': own }) };
  attempt(`The results of ${grade.student} cannot be written to '${folder}'`, () => {
    mkdirSync(folder, { recursive: true });
    for (const [name, value] of Object.entries(files))
      writeFileSync(join(folder, name), `${JSON.stringify(value, null, 2)}\n`);
  });
}

/** https://gradescope-autograders.readthedocs.io/en/latest/specs */
const gradescope = ({ points, exercises, problems }: Grade) => ({
  score: points,
  ...(problems.length > 0 && { output: problems.join('\n') }),
  tests: exercises.map(({ number, lab, points, of, feedback }) => ({
    ...{ name: `${number} ${lab}`, score: points, max_score: of, output: feedback },
  })),
});

/**
 * `classroom50/result/v1`: https://github.com/foundation50/classroom50/wiki/Advanced-Autograding.
 * The moment of the submission is in its tag, `submit/2026-06-01T14-32-05Z-a1b2c3d`.
 */
function classroom50({ points, of, exercises }: Grade, environment: Environment) {
  const { CLASSROOM, ASSIGNMENT, SUBMISSION_TAG = '', COMMIT_URL, RELEASE_URL } = environment;
  if (!CLASSROOM || !ASSIGNMENT) return undefined;
  const [, date, hour, minute, second] =
    /(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)Z/.exec(SUBMISSION_TAG) ?? [];
  return {
    schema: 'classroom50/result/v1',
    ...{ classroom: CLASSROOM, assignment: ASSIGNMENT, submission: SUBMISSION_TAG },
    ...{ commit: COMMIT_URL, release: RELEASE_URL, review: environment.REVIEW_URL || COMMIT_URL },
    ...(date && { datetime: `${date}T${hour}:${minute}:${second}Z` }),
    ...{ score: points, 'max-score': of },
    tests: exercises.map(({ number, lab, points, of, feedback }) => ({
      ...{ 'test-name': `${number} ${lab}`, passed: points === of },
      ...{ score: points, 'max-score': of, output: feedback },
    })),
  };
}
