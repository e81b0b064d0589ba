/** The points of a submission, exercise by exercise. */

import { parse } from 'node:path';
import { type Part, pointsOf } from '@conclave/studio/internal/course';
import { say } from '@conclave/studio/internal/texts';
import { commandLine } from '../output/trace.js';
import { judgedFile, type Limits } from './confined.js';
import type { PlacedCode } from './exercises.js';
import { type Judgement, judgedLink, keyOf, type Placed } from './judged-link.js';
import type { Submission } from './submissions.js';

export interface Graded {
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
  const exercises = [
    ...(await gradedLinks(submission, links, problems)),
    ...(await gradedCodes(submission, codes, limits, problems)),
  ];
  const sum = (what: 'points' | 'of') => exercises.reduce((all, one) => all + one[what], 0);
  return { student: submission.student, points: sum('points'), of: sum('of'), exercises, problems };
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
        say('A link about {protocol} is of no exercise here', { protocol: link.setup.protocol }),
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
      graded.push({ ...place, points: 0, result: 'not solved', feedback: judged.error });
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
    return `${passed ? '✓' : '✗'} ${name}${feedback ? `: ${feedback.trimEnd()}` : ''}${look}`;
  });
  return { points, result, feedback: texts.join('\n') };
}
