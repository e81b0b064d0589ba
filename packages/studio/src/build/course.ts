/** The exercises in code as the page has them. */
import { pointsOf } from '../course/code-exercise.js';
import { codeExercises } from '../course/code-exercises.js';
import { numbered } from '../course/exercises.js';
import type { States } from '../course/judge.js';
import { mutantIn, protocolIn } from '../course/of-catalogue.js';
import type { ExerciseRow, PageExercise } from '../course/page-exercise.js';
import { startingFile } from '../course/starting-file.js';
import { grading } from '../texts/german/grading.js';
import { german } from '../texts/german.js';
import { speak } from '../texts/say.js';

export const exerciseRows = (): readonly ExerciseRow[] =>
  numbered(codeExercises).map(({ number, exercise: { kind, name, lab, protocol, minutes } }) => ({
    ...{ kind, name, lab, number, protocol, minutes },
  }));

export async function pageExercises(): Promise<readonly PageExercise[]> {
  const all: PageExercise[] = [];
  for (const { number, exercise } of numbered(codeExercises)) {
    const { holes: _, mutants = [], ...open } = exercise;
    const right = await protocolIn(exercise);
    const statesIn = (id: string): States =>
      mutantIn(right, id).protocol.roles[exercise.role]?.machine.config.states;
    const en = await startingFile(exercise);
    speak(() => ({ ...german, ...grading }));
    const de = await startingFile(exercise);
    speak(() => undefined);
    all.push({
      ...{ ...open, number, points: pointsOf(exercise), start: { en, de } },
      mutants: exercise.kind === 'say' ? mutants.map(statesIn) : [],
    });
  }
  return all;
}
