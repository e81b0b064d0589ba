import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { languages, say, speakIn } from '@conclave/studio/internal/texts';
import type { Command } from 'commander';
import { usualLimits } from '../course/confined.js';
import { allExercises } from '../course/exercises.js';
import { type Asked, type Grade, gradeOf, submissionsIn, writeResults } from '../course/grade.js';
import { choice, count, declare, flag, measure, parsed, seed, text } from '../input/options.js';
import { blocks, table } from '../output/text.js';
import { answer, type Session } from '../session.js';

const description = {
  name: 'grade',
  description: 'judge what students hand in for the exercises of the studio: links and code',
  argument: ['folder', 'a file with links for each student, or a folder for each'] as const,
  options: {
    lab: parsed('n', 'only the exercises of this lab (default: all)', count),
    exercises: text('file', 'your own exercises in code, in place of those in code of the course'),
    one: flag('the folder is the submission of one student'),
    results: text(
      'folder',
      'also write STUDENT/results.json for each, as Gradescope reads it; with --one no folder STUDENT',
    ),
    lang: choice('language', languages, 'of goals, hints and feedback: en (default) or de'),
    seed: parsed('n', 'grade again as with this seed (default: one that nobody knows)', seed),
    maxSeconds: parsed('s', 'how long one file of code may take (default: 30)', measure('seconds')),
    maxMemory: parsed('mb', 'how much memory it may take (default: 1024)', measure('MB')),
    json: flag(
      'print [{ student, points, of, exercises: [{ number, lab, points, of, result, feedback }], problems, seed }]',
    ),
  },
  help: `A link solves an exercise if its first steps violate the property, as many as it allows. A file of
code, such as mend-lamport.mjs, is loaded in a process of its own that has no files, no network and
a limit of time and memory. A chart is judged as data: nothing of it is executed that is not of the
catalogue. Properties answer for states in an order that --seed repeats. In a run of Classroom 50,
--results also writes result.json.

Examples:
  conclave grade submissions
  conclave grade submissions --lab 3 --results graded
  conclave grade /autograder/submission --one --results /autograder/results`,
};

/** `conclave grade`: points for links and code. */
export const gradeCommand = (program: Command, session: Session): void =>
  declare(program, description, async (options, folder) => {
    const { lab, exercises, one = false, results, lang, json } = options;
    speakIn(lang);
    const { maxSeconds: seconds = usualLimits.seconds, maxMemory: memory = usualLimits.memory } =
      options;
    const asked = await allExercises(lab, exercises);
    const limits = { seconds, memory, lang, seed: options.seed ?? randomInt(2 ** 31) };
    const grades: Grade[] = [];
    for (const submission of submissionsIn(folder, one))
      grades.push(await gradeOf(submission, asked, limits));
    if (results !== undefined)
      for (const grade of grades)
        writeResults(one ? results : join(results, grade.student), grade, process.env);
    answer(session, json, grades, () => report(grades, asked, session));
  });

function report(grades: readonly Grade[], { links, codes }: Asked, { colours, width }: Session) {
  const { bold, green, dim } = colours;
  const marks = (grade: Grade) =>
    grade.exercises.map(({ result, points, of }) => {
      if (result === 'solved') return green('✓');
      if (result === 'not tried') return dim('·');
      return points > 0 ? `${points}/${of}` : '✗';
    });
  const numbers = [...links, ...codes].map(({ number }) => number);
  const head = [say('student'), say('points'), ...numbers].map((word) => bold(word));
  const rows = grades.map((grade) => [
    grade.student,
    say('{points} of {of}', { points: grade.points, of: grade.of }),
    ...marks(grade),
  ]);
  const notes = grades.flatMap(({ student, exercises, problems }) => [
    ...exercises
      .filter(({ result }) => result !== 'solved' && result !== 'not tried')
      .map(({ number, feedback }) => `${student}, ${number}: ${feedback}\n`),
    ...problems.map((problem) => `${student}: ${problem}\n`),
  ]);
  const isSaid = (one: Grade['exercises'][number]) =>
    one.result !== 'not tried' &&
    codes.some(({ number, exercise }) => number === one.number && exercise.kind === 'say');
  const [used] = grades.filter((grade) => grade.exercises.some(isSaid));
  const seeded = used ? `${say('The grades are those of --seed {seed}.', used)}\n` : '';
  return blocks(table([head, ...rows], width), `${notes.join('')}${seeded}`);
}
