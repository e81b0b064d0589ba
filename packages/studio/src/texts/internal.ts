/** For the command line, of the same version: without promise. */
export { languages, say, sayAny } from './say.js';
export { speakIn } from './speak-in.js';
