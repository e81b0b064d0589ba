/**
 * Judges what is handed in for one exercise. What a student has written runs in one process, which
 * gives data: the states of a chart, or what properties answer. Another process judges the data.
 */
import { type Answers, type Asked, answersOf, propertiesOf, type Questions } from './answers.js';
import type { CodeExercise, Part } from './code-exercise.js';
import {
  type HandedIn,
  judgedProperties,
  judgedStates,
  questionsOf,
  type States,
  statesOf,
  type Versions,
  withChart,
} from './judge.js';
import { exportOf, moduleOf, protocolIn, startingStates } from './starting-file.js';
import { versionsOf } from './versions.js';

export interface ExerciseJudge {
  /** The module of the catalogue that a submission may import. */
  readonly module: string;
  /** What it gets for a module: of the catalogue, the protocol without what the exercise asks for. */
  imported(name: string, module: object): object;
  /** @throws {Error} where the protocol has none of its own, or a function is among them */
  statesIn(handedIn: HandedIn): States;
  ofStates(states: States): readonly Part[];
  /** What its properties are asked when it is loaded the first, or the second time. */
  asked(load: number): Asked;
  /** @throws {Error} where the protocol has no properties */
  answersOf(handedIn: HandedIn, asked: Asked): readonly Answers[];
  ofAnswers(loads: readonly (readonly Answers[])[]): readonly Part[];
}

/**
 * Loads all that it needs: what is handed in may take the means to load away.
 *
 * @param seed of the order of questions, and of the choice of mutants of mutants
 */
export async function judgeOf(exercise: CodeExercise, seed = 1): Promise<ExerciseJudge> {
  const { kind, role, systems } = exercise;
  const right = await protocolIn(exercise);
  const system = { right, role, systems };
  const given =
    kind === 'say'
      ? { ...right, properties: [] }
      : withChart(right, role, startingStates(exercise, right));
  let known: { readonly versions: Versions; readonly questions: Questions } | undefined;
  const all = () => {
    const versions = known?.versions ?? versionsOf(right, exercise, seed);
    known ??= { versions, questions: questionsOf(system, versions, seed) };
    return known;
  };
  return {
    module: moduleOf(right),
    imported: (name, module) => {
      if (name !== moduleOf(right)) return module;
      const own = exportOf(right);
      const isMade = typeof Object(module)[own] === 'function';
      return { [own]: isMade ? () => given : given };
    },
    statesIn: (handedIn) => statesOf(handedIn, role, given),
    ofStates: (states) => judgedStates(system, states),
    asked: (load) => all().questions.asked(load),
    answersOf: (handedIn, asked) => answersOf(right, propertiesOf(handedIn, right), asked),
    ofAnswers: (loads) => {
      const { versions, questions } = all();
      return judgedProperties(system, versions, questions.propertiesOf(loads));
    },
  };
}
