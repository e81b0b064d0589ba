import type { Language, Text } from '../texts/say.js';
import type { CodeExercise } from './code-exercise.js';
import type { States } from './judge.js';

/** What the page has of an exercise in code: neither the holes nor the name of a mutant. */
export interface PageExercise extends Omit<CodeExercise, 'mutants' | 'holes'> {
  /** `1.4`: the fourth exercise of the first lab. */
  readonly number: string;
  readonly points: number;
  readonly goal: Text;
  readonly hints: readonly Text[];
  /** What a student starts from. */
  readonly start: Readonly<Record<Language, string>>;
  /** `say`: the chart of the role in each mutant. */
  readonly mutants: readonly States[];
}

/** What the first page says of it. */
export type ExerciseRow = Pick<
  PageExercise,
  'kind' | 'name' | 'lab' | 'number' | 'protocol' | 'minutes'
>;
