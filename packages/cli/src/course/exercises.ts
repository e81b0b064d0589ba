/** All exercises of the course, numbered by their labs: first those that are links. */

import { type CodeExercise, codeExercises } from '@conclave/studio/internal/course';
import { labs, numbered } from '@conclave/studio/internal/page';
import { say } from '@conclave/studio/internal/texts';
import { badInput } from '../errors.js';
import { type Placed, placedExercises } from './judged-link.js';
import { codeExercisesIn } from './own-exercises.js';

/** An exercise in code, and its place in the course. */
export interface PlacedCode {
  readonly number: string;
  readonly lab: string;
  readonly exercise: CodeExercise;
}

/**
 * The exercises of a lab, or of all.
 *
 * @param file a teacher's own exercises in code, instead of those of the course
 * @throws {ConclaveError} `bad-input` for a lab that has none, or a file that holds none.
 */
export async function allExercises(
  lab: number | undefined,
  file: string | undefined,
): Promise<{ readonly links: readonly Placed[]; readonly codes: readonly PlacedCode[] }> {
  const isAsked = ({ number }: { readonly number: string }) =>
    lab === undefined || number.startsWith(`${lab}.`);
  const links = (await placedExercises()).filter(isAsked);
  const all = file === undefined ? codeExercises : codeExercisesIn(file);
  const codes = numbered(all).map(({ number, exercise }): PlacedCode => {
    const { title } = labs[exercise.lab - 1] ?? {};
    const lab = title ? say(title) : say('Lab {lab}', { lab: exercise.lab });
    return { number, lab, exercise };
  });
  const asked = codes.filter(isAsked);
  if (links.length + asked.length > 0) return { links, codes: asked };
  throw badInput(`There is no lab ${lab}`, 'conclave course lists the labs.');
}
