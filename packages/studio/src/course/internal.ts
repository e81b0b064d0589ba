/** For the command line, of the same version: without promise. */
export { type CodeExercise, type Part, pointsOf } from './code-exercise.js';
export { codeExercises } from './code-exercises.js';
export { propertiesOf, statesOf } from './handed-in.js';
export { judgedProperties, judgedStates, type States } from './judge.js';
export { mutantIn, protocolIn } from './of-catalogue.js';
export { startingFile } from './starting-file.js';
