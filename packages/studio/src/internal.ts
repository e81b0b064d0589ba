/** For the packages of this repository, of the same version: without promise. */
export { bundle } from './build/bundle.js';
export { pageUrl, pageWith } from './build/page-file.js';
export { drawing } from './chart/layout.js';
export { labs, numbered } from './course/exercises.js';
