/** For the packages of this repository, of the same version: without promise. */
export { codeOf, onDisk } from './file-lock.js';
export { fileNameOf, inspectStorage, syncFolder } from './file-storage.js';
