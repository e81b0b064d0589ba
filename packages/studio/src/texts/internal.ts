/** Unstable: for the packages of this house only, of the same version. */
export { languages, say, sayAny } from './say.js';
export { speakIn } from './speak-in.js';
