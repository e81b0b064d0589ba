/** The points of a submission, exercise by exercise. */

import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, parse, resolve } from 'node:path';
import { type Part, pointsOf, visible } from '@conclave/studio/internal/course';
import { say } from '@conclave/studio/internal/texts';
import { type Link, parseLink } from '@conclave/studio/link';
import { attempt, badInput } from '../errors.js';
import { commandLine } from '../output/files.js';
import { judgedFile, type Limits } from './confined.js';
import { type Judgement, judgedLink, keyOf, type Placed, type PlacedCode } from './exercises.js';

interface Graded {
  readonly number: string;
  readonly lab: string;
  readonly points: number;
  readonly of: number;
  readonly result: 'solved' | 'partly solved' | 'not solved' | 'not a run' | 'not tried';
  /** What was found, for the student; the first line says the most. */
  readonly feedback: string;
  readonly steps?: number;
}

export interface Grade {
  readonly student: string;
  readonly points: number;
  readonly of: number;
  readonly exercises: readonly Graded[];
  readonly problems: readonly string[];
  /** It grades alike. */
  readonly seed: number;
}

export interface Asked {
  readonly links: readonly Placed[];
  readonly codes: readonly PlacedCode[];
}

export async function gradeOf(
  submission: Submission,
  { links, codes }: Asked,
  limits: Limits,
): Promise<Grade> {
  const problems = [...submission.problems];
  const { seed } = limits;
  const exercises = [
    ...(await gradedLinks(submission, links, problems)),
    ...(await gradedCodes(submission, codes, limits, problems)),
  ].sort((one, other) => placeOf(one) - placeOf(other));
  const sum = (what: 'points' | 'of') => exercises.reduce((all, one) => all + one[what], 0);
  const student = visible(submission.student);
  const said = problems.map(visible);
  return { student, points: sum('points'), of: sum('of'), exercises, problems: said, seed };
}

/** Of `2.10`: behind `2.9`. */
function placeOf({ number }: Pick<Graded, 'number'>): number {
  const [lab = 0, place = 0] = number.split('.').map(Number);
  return lab * 1000 + place;
}

async function gradedLinks(
  { links }: Submission,
  asked: readonly Placed[],
  problems: string[],
): Promise<readonly Graded[]> {
  const best = new Map<string, Judgement>();
  for (const link of links) {
    const key = await keyOf(link).catch((error: unknown) => String(Object(error).message));
    const its = asked.filter((one) => one.key === key);
    if (its.length === 0)
      problems.push(
        say('A link about {protocol} has another system than the exercises here', {
          protocol: link.setup.protocol,
        }),
      );
    for (const { number, exercise } of its) {
      const judgement = await judgedLink(link, exercise);
      if (best.get(number)?.result !== 'solved') best.set(number, judgement);
    }
  }
  return asked.map(({ number, lab }) => {
    const judged = best.get(number) ?? { result: 'not tried' as const };
    const points = judged.result === 'solved' ? 1 : 0;
    return { ...{ number, lab, points, of: 1, feedback: wordsOf(judged) }, ...judged };
  });
}

const wordsOf = (judged: Judgement | { readonly result: 'not tried' }): string =>
  judged.result === 'solved'
    ? say('solved, in {steps} steps', { steps: judged.steps })
    : judged.result === 'not a run'
      ? say('step {step} is not possible there', { step: judged.step })
      : say(judged.result);

async function gradedCodes(
  { code }: Submission,
  asked: readonly PlacedCode[],
  limits: Limits,
  problems: string[],
): Promise<readonly Graded[]> {
  const names = new Set(asked.map(({ exercise }) => exercise.name));
  const graded: Graded[] = [];
  for (const { number, lab, exercise } of asked) {
    const [file] = code.filter((path) => parse(path).name === exercise.name);
    const place = { number, lab, of: pointsOf(exercise) };
    if (file === undefined) {
      graded.push({ ...place, points: 0, result: 'not tried', feedback: say('not tried') });
      continue;
    }
    const judged = await judgedFile(file, exercise, limits);
    if ('error' in judged)
      graded.push({ ...place, points: 0, result: 'not solved', feedback: visible(judged.error) });
    else graded.push({ ...place, ...sumOf(judged.parts, file) });
  }
  const [other] = code.filter(
    (path) => parse(path).name.includes('-') && !names.has(parse(path).name),
  );
  if (other !== undefined)
    problems.push(say('{file} is of no exercise here', { file: parse(other).base }));
  return graded;
}

function sumOf(
  parts: readonly Part[],
  file: string,
): Pick<Graded, 'points' | 'result' | 'feedback'> {
  const points = parts.filter(({ passed }) => passed).length;
  const result = points === parts.length ? 'solved' : points > 0 ? 'partly solved' : 'not solved';
  const texts = parts.map(({ name, passed, feedback, link }) => {
    const look = link
      ? `\n${say('Look')}: ${commandLine(['studio', parse(file).base, '--link', link])}`
      : '';
    const lines = `${passed ? '✓' : '✗'} ${name}${feedback ? `: ${feedback.trimEnd()}` : ''}${look}`;
    return lines.split('\n').map(visible).join('\n');
  });
  return { points, result, feedback: texts.join('\n') };
}

// What students hand in: links of the studio, and files of code; one file or one folder each.

interface Submission {
  readonly student: string;
  readonly links: readonly Link[];
  /** The paths of the files with code. */
  readonly code: readonly string[];
  /** Texts that look like links and are none, and files that cannot be read. */
  readonly problems: readonly string[];
}

/** Larger files are no lists of links. */
const mostBytes = 1_000_000;
const mostLinks = 1000;
const isCode = /\.[cm]?[jt]s$/;

/**
 * The submissions of a folder, by name; with `isOne` the folder is a submission itself.
 *
 * @throws {ConclaveError} `bad-input` where there is none.
 */
export function submissionsIn(folder: string, isOne = false): readonly Submission[] {
  const names = attempt(`The folder '${folder}' cannot be read`, () => readdirSync(folder));
  if (isOne) return [submissionOf(folder)];
  const all = names
    .filter((name) => !name.startsWith('.'))
    .toSorted()
    .map((name) => submissionOf(join(folder, name)));
  if (all.length > 0) return all;
  throw badInput(
    `'${folder}' has no submissions`,
    'Give a folder with a file for each student, or a folder for each, of links copied from the studio.',
  );
}

function submissionOf(path: string): Submission {
  const problems: string[] = [];
  const files = statSync(path).isDirectory()
    ? readdirSync(path, { withFileTypes: true })
        .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
        .map(({ name }) => join(path, name))
        .toSorted()
    : [path];
  const code = files.filter((file) => isCode.test(file));
  const texts = files.flatMap((file) => {
    if (isCode.test(file)) return [];
    if (statSync(file).size <= mostBytes) return [readFileSync(file, 'utf8')];
    problems.push(
      say('{file} is larger than a megabyte, and was not read', { file: parse(file).base }),
    );
    return [];
  });
  const found = texts.flatMap(linkTexts);
  if (found.length > mostLinks)
    problems.push(
      say('It has {links} links, of which {most} were read', {
        links: found.length,
        most: mostLinks,
      }),
    );
  if (found.length + code.length === 0 && problems.length === 0)
    problems.push(say('It has no link of the studio, and no file with code'));
  const links = found.slice(0, mostLinks).flatMap((text) => {
    try {
      return parseLink(text) ?? [];
    } catch (error) {
      problems.push(error instanceof Error ? error.message : String(error));
      return [];
    }
  });
  return { student: parse(resolve(path)).name, links, code, problems };
}

/** What stands behind `#` in a text, up to a blank or a bracket that ends a Markdown link. */
const linkTexts = (text: string): readonly string[] =>
  [...text.matchAll(/#([a-z0-9-]+\?[^\s<>"')]+)/gi)].map(([, link = '']) => link);

// Grades as other systems read them.

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
