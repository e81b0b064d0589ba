/** Unstable: for the packages of this house only, of the same version. */
export { codeOf, onDisk } from './disk-error.js';
export { fileNameOf, inspectStorage, syncFolder } from './file-storage.js';
