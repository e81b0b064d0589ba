import { propertiesOf, statesOf } from '../course/handed-in.js';
import { judgedProperties, judgedStates, withStates } from '../course/judge.js';
import type { PageExercise } from '../course/page-exercise.js';
import type { System } from '../model/system.js';
import { german } from '../texts/german.js';
import { type Language, speak, type Table } from '../texts/say.js';
import { writtenProtocol } from './written.js';

export interface JudgeInput {
  readonly exercise: PageExercise;
  readonly language: Language;
  /** What is said of exercises, in German. */
  readonly texts: Table;
}

/**
 * Judges what somebody has written for an exercise, as `conclave grade` does. The answer is JSON,
 * whatever ran in the worker: the parts of the exercise.
 *
 * @param system of the protocol that the exercise is about, as the catalogue has it
 */
export function judged(
  { protocol: right }: System,
  { exercise, language, texts }: JudgeInput,
  _onProgress: (nothing: never) => void,
): string {
  speak(() => (language === 'de' ? { ...german, ...texts } : undefined));
  const { kind, role, systems, mutants } = exercise;
  const asked = { right, role, systems };
  const handedIn = { ...writtenProtocol() };
  const parts =
    kind === 'say'
      ? judgedProperties(
          asked,
          mutants.map((states) => ({ protocol: withStates(right, role, states) })),
          propertiesOf(handedIn),
        )
      : judgedStates(asked, statesOf(handedIn, role));
  return JSON.stringify(parts);
}
