/** Unstable: for the packages of this house only, of the same version. */
export { bundle } from './build/bundle.js';
export { pageUrl, pageWith } from './build/page-file.js';
export { drawing } from './chart/layout.js';
export { labs, numbered } from './course/exercises.js';
