import { type CodeExercise, pointsOf, startingFile } from '@conclave/studio/internal/course';
import { languages, say, sayAny, speakIn } from '@conclave/studio/internal/texts';
import { linkText } from '@conclave/studio/link';
import type { Command } from 'commander';
import { allExercises, type Language } from '../course/exercises.js';
import { badInput } from '../errors.js';
import { choice, count, declare, jsonOption, parsed, text } from '../input/options.js';
import { blocks, heading, writeNew } from '../output/text.js';
import { answer, type Session } from '../session.js';

const description = {
  name: 'course',
  description: 'list the exercises of the studio, and write what students start from',
  options: {
    lab: parsed('n', 'only the exercises of this lab (default: all)', count),
    exercises: text('file', 'your own exercises in code, in place of those in code of the course'),
    out: text('folder', 'write the files that students start from, without solutions'),
    lang: choice('language', languages, 'of goals, hints and feedback: en (default) or de'),
    ...jsonOption,
  },
  help: `Some exercises are links: paste one on the first page of the studio. In others, students mend or
write a chart, or say properties. conclave grade judges what they hand in.

Examples:
  conclave course
  conclave course --lab 1 --out lab-1 --lang de
  conclave course --json`,
};

/** `conclave course`: the exercises of the labs. */
export const courseCommand = (program: Command, session: Session): void =>
  declare(program, description, async ({ lab, exercises: file, out, lang, json }) => {
    speakIn(lang);
    const { links, codes } = await allExercises(lab, file);
    if (out !== undefined)
      await writeCourse(
        out,
        codes.map(({ exercise }) => exercise),
      );
    const exercises = links.map(({ number, lab, exercise }) => ({
      ...{ number, lab, broken: say(exercise.broken), violate: exercise.link.goal.property },
      ...{
        within: exercise.link.goal.within,
        link: `#${linkText(lang ? { ...exercise.link, lang } : exercise.link)}`,
      },
    }));
    const inCode = codes.map(({ number, lab, exercise }) => {
      const { kind, name, minutes } = exercise;
      const goal = sayAny(exercise.goal);
      const points = pointsOf(exercise);
      const link = file === undefined ? { link: `#${playLink(name, lang)}` } : {};
      return { number, lab, kind, file: `${name}.mjs`, goal, minutes, points, ...link };
    });
    const labs = [...new Set([...exercises, ...inCode].map(({ lab }) => lab))];
    answer(session, json, [...exercises, ...inCode], () =>
      blocks(
        ...labs.map((lab) => {
          const rows = [
            ...exercises
              .filter((one) => one.lab === lab)
              .map(({ number, broken, violate, within, link }) => [
                number,
                `${say('{broken} Violate in at most {within} steps: {violate}', { broken, within, violate })}\n${link}`,
              ]),
            ...inCode
              .filter((one) => one.lab === lab)
              .map(({ number, file, goal, link }) => [
                number,
                [`${file}: ${goal}`, link].filter(Boolean).join('\n'),
              ]),
          ];
          return heading(session.colours.bold(lab), rows, session);
        }),
        out === undefined
          ? ''
          : `${say('Wrote {out}: {files}, README.md.', { out, files: inCode.map(({ file }) => file).join(', ') })}\n`,
      ),
    );
  });

/** An exercise of the course in the editor of the studio. */
const playLink = (exercise: string, lang: Language | undefined): string =>
  linkText({
    setup: { protocol: 'play', options: {}, budget: {} },
    ...{ view: 'world', steps: [], exercise, ...(lang && { lang }) },
  });

/** @throws {ConclaveError} `bad-input` where there is nothing to write, or a file exists. */
async function writeCourse(folder: string, exercises: readonly CodeExercise[]): Promise<void> {
  if (exercises.length === 0)
    throw badInput('There is no exercise in code here', 'Leave out --out, or choose another lab.');
  const files: Record<string, string> = { 'README.md': exercisesPage(exercises) };
  for (const exercise of exercises) files[`${exercise.name}.mjs`] = await startingFile(exercise);
  writeNew(folder, files, '--out');
}

/** The page beside the files: goals, minutes, points, and hints one by one. */
export const exercisesPage = (exercises: readonly CodeExercise[]): string =>
  `# ${say('Exercises')}\n\n${say('Change only the chart or the properties: actions and guards are those of the catalogue, and are used by their names. A file may import xstate, @conclave/core/protocol, @conclave/core/topology, the algorithm of the exercise and files beside it.')}\n${exercises
    .map(
      (exercise) => `
## ${exercise.name}.mjs

${say('{goal} {minutes} minutes, {points} points.', { goal: sayAny(exercise.goal), minutes: exercise.minutes, points: pointsOf(exercise) })}
${exercise.hints.map((hint, index) => `\n<details><summary>${say('Hint {number}', { number: index + 1 })}</summary>${sayAny(hint)}</details>\n`).join('')}`,
    )
    .join('')}`;
