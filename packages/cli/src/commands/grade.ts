import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import {
  type Judgement,
  judgedLink,
  keyOf,
  type Placed,
  placedExercises,
} from '../course/judged-link.js';
import { type Submission, submissionsIn } from '../course/submissions.js';
import { attempt, badInput } from '../errors.js';
import { count, declare, flag, parsed, text } from '../input/options.js';
import { blocks, table } from '../output/text.js';
import { answer, type Session } from '../session.js';

const description = {
  name: 'grade',
  description: 'judge the links that students hand in for the exercises of the studio',
  argument: ['folder', 'a file with links for each student, or a folder for each'] as const,
  options: {
    lab: parsed('n', 'only the exercises of this lab (default: all)', count),
    results: text('folder', 'also write STUDENT/results.json for each, as Gradescope reads it'),
    json: flag(
      'print [{ student, points, of, exercises: [{ number, lab, result, steps }], problems }]',
    ),
  },
  help: `An exercise is solved by a link whose first steps violate its property, as many as it allows.
The links are only read: nothing that students write is executed.

Examples:
  conclave grade submissions
  conclave grade submissions --lab 3 --results graded`,
};

interface Grade {
  readonly student: string;
  readonly points: number;
  readonly of: number;
  readonly exercises: readonly ({ readonly number: string; readonly lab: string } & Judged)[];
  readonly problems: readonly string[];
}

type Judged = Judgement | { readonly result: 'not tried' };

/** `conclave grade`: points for links. */
export const gradeCommand = (program: Command, session: Session): void =>
  declare(program, description, async ({ lab, results, json }, folder) => {
    const all = await placedExercises();
    const asked =
      lab === undefined ? all : all.filter(({ number }) => number.startsWith(`${lab}.`));
    if (asked.length === 0)
      throw badInput(`There is no lab ${lab}`, 'conclave course lists the labs.');
    const grades: Grade[] = [];
    for (const submission of submissionsIn(folder)) grades.push(await gradeOf(submission, asked));
    if (results !== undefined) for (const grade of grades) writeResults(results, grade);
    answer(session, json, grades, () => report(grades, asked, session));
  });

async function gradeOf({ student, links, problems }: Submission, asked: readonly Placed[]) {
  const best = new Map<string, Judgement>();
  const others: string[] = [];
  for (const link of links) {
    const key = await keyOf(link).catch((error: unknown) => String(Object(error).message));
    const its = asked.filter((one) => one.key === key);
    if (its.length === 0) others.push(`A link about ${link.setup.protocol} is of no exercise here`);
    for (const { number, exercise } of its) {
      const judgement = await judgedLink(link, exercise);
      if (best.get(number)?.result !== 'solved') best.set(number, judgement);
    }
  }
  const exercises = asked.map(({ number, lab }) => ({
    ...{ number, lab },
    ...(best.get(number) ?? { result: 'not tried' as const }),
  }));
  const points = exercises.filter(({ result }) => result === 'solved').length;
  return { student, points, of: asked.length, exercises, problems: [...problems, ...others] };
}

const wordsOf = (judged: Judged): string =>
  judged.result === 'solved'
    ? `solved, in ${judged.steps} steps`
    : judged.result === 'not a run'
      ? `step ${judged.step} is not possible there`
      : judged.result;

/** In the form of Gradescope's autograder: https://gradescope-autograders.readthedocs.io */
function writeResults(folder: string, { student, points, exercises, problems }: Grade): void {
  const own = join(folder, student);
  const value = {
    score: points,
    ...(problems.length > 0 && { output: problems.join('\n') }),
    tests: exercises.map((one) => ({
      ...{ name: `${one.number} ${one.lab}`, max_score: 1 },
      ...{ score: one.result === 'solved' ? 1 : 0, output: wordsOf(one) },
    })),
  };
  attempt(`The results of ${student} cannot be written to '${own}'`, () => {
    mkdirSync(own, { recursive: true });
    writeFileSync(join(own, 'results.json'), `${JSON.stringify(value, null, 2)}\n`);
  });
}

function report(grades: readonly Grade[], asked: readonly Placed[], { colours, width }: Session) {
  const { bold, green, dim } = colours;
  const marks = (grade: Grade) =>
    grade.exercises.map((one) =>
      one.result === 'solved' ? green('✓') : one.result === 'not tried' ? dim('·') : '✗',
    );
  const head = ['student', 'points', ...asked.map(({ number }) => number)].map((word) =>
    bold(word),
  );
  const rows = grades.map((grade) => [
    grade.student,
    `${grade.points} of ${grade.of}`,
    ...marks(grade),
  ]);
  const notes = grades.flatMap(({ student, exercises, problems }) => [
    ...exercises
      .filter(({ result }) => result === 'not a run' || result === 'not solved')
      .map((one) => `${student}, ${one.number}: ${wordsOf(one)}\n`),
    ...problems.map((problem) => `${student}: ${problem}\n`),
  ]);
  return blocks(table([head, ...rows], width), notes.join(''));
}
