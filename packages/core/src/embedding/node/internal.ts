/** For the packages of this repository, of the same version: without promise. */
export { codeOf } from './file-lock.js';
export { fileNameOf, inspectStorage, syncFolder } from './file-storage.js';
