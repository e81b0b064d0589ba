/** For the packages of this repository, of the same version: without promise. */
export { bundle } from './build/bundle.js';
export { pageUrl } from './build/page-file.js';
export { pageWith } from './build/page-with.js';
export { drawing } from './chart/drawing.js';
export { type Exercise, type Lab, labs, numbered } from './course/exercises.js';
export type { Given } from './model/given.js';
