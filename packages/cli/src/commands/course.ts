import { linkText } from '@conclave/studio/link';
import type { Command } from 'commander';
import { placedExercises } from '../course/judged-link.js';
import { declare, jsonOption } from '../input/options.js';
import { blocks, heading } from '../output/text.js';
import { answer, type Session } from '../session.js';

const description = {
  name: 'course',
  description: 'list the exercises of the studio, with their links',
  options: jsonOption,
  help: `Each exercise is a link: paste it on the first page of the studio. conclave grade judges what
students hand in.

Examples:
  conclave course
  conclave course --json`,
};

/** `conclave course`: the exercises of the labs. */
export const courseCommand = (program: Command, session: Session): void =>
  declare(program, description, async ({ json }) => {
    const exercises = (await placedExercises()).map(({ number, lab, exercise }) => ({
      ...{ number, lab, broken: exercise.broken, violate: exercise.link.goal.property },
      ...{ within: exercise.link.goal.within, link: `#${linkText(exercise.link)}` },
    }));
    const labs = [...new Set(exercises.map(({ lab }) => lab))];
    answer(session, json, exercises, () =>
      blocks(
        ...labs.map((lab) =>
          heading(
            session.colours.bold(lab),
            exercises
              .filter((one) => one.lab === lab)
              .map(({ number, broken, violate, within, link }) => [
                number,
                `${broken} Violate in at most ${within} steps: ${violate}\n${link}`,
              ]),
            session.colours,
          ),
        ),
      ),
    );
  });
