/** Unstable: for the packages of this house only, of the same version. */
export { visible } from '../base/input.js';
export { type CodeExercise, codeExercises, pointsOf } from './code-exercises.js';
export { type ExerciseJudge, judgeOf } from './exercise-judge.js';
export type { Part } from './judge.js';
export { startingFile } from './starting-file.js';
