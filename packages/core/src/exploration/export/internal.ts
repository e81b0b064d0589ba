/** For the packages of this repository, of the same version: without promise. */
export { exportAut } from './aut.js';
export { type ExportedModel, exportPromela } from './promela-model.js';
