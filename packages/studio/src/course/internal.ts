/** Unstable: for the packages of this house only, of the same version. */
export { visible } from '../base/visible.js';
export { type CodeExercise, type Part, pointsOf } from './code-exercise.js';
export { codeExercises } from './code-exercises.js';
export { type ExerciseJudge, judgeOf } from './exercise-judge.js';

export { startingFile } from './starting-file.js';
