/** For the packages of this repository, of the same version: without promise. */
export { inspectStorage } from './file-storage.js';
