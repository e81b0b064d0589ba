/** For the packages of this repository, of the same version: without promise. */

export { grading } from './german/grading.js';
export { german } from './german.js';
export { languages, say, sayAny, speak } from './say.js';
