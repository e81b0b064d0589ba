/** For the packages of this repository, of the same version: without promise. */
export { isInCatalogue, loadEntry } from '../load-entry.js';
