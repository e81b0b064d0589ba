/**
 * Judges what is handed in for one exercise. The states of a chart are data, and can be judged in
 * another process than the one that runs what a student has written; properties are functions.
 */
import type { CodeExercise, Part } from './code-exercise.js';
import { judgedProperties, judgedStates, propertiesOf, type States, statesOf } from './judge.js';
import { mutantIn, protocolIn } from './starting-file.js';

type HandedIn = Parameters<typeof statesOf>[0];

export interface ExerciseJudge {
  /** @throws {Error} where the protocol has none, or a function is among them */
  statesIn(handedIn: HandedIn): States;
  ofStates(states: States): readonly Part[];
  /** @throws {Error} where the protocol has none */
  ofProperties(handedIn: HandedIn): readonly Part[];
}

/** Loads all that it needs: what is handed in may take the means to load away. */
export async function judgeOf(exercise: CodeExercise): Promise<ExerciseJudge> {
  const { role, systems, mutants = [] } = exercise;
  const right = await protocolIn(exercise);
  const asked = { right, role, systems };
  return {
    statesIn: (handedIn) => statesOf(handedIn, role),
    ofStates: (states) => judgedStates(asked, states),
    ofProperties: (handedIn) => {
      const known = mutants.map((id) => ({ id, protocol: mutantIn(right, id).protocol }));
      return judgedProperties(asked, known, propertiesOf(handedIn));
    },
  };
}
