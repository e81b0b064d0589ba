/** Unstable: for the packages of this house only, of the same version. */
export { isInCatalogue, loadEntry } from '../load-entry.js';
