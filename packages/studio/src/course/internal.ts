/** For the command line, of the same version: without promise. */
export { type CodeExercise, type Part, pointsOf } from './code-exercise.js';
export { codeExercises } from './code-exercises.js';
export { judgedProperties, judgedStates, propertiesOf, type States, statesOf } from './judge.js';
export { mutantIn, protocolIn, startingFile } from './starting-file.js';
