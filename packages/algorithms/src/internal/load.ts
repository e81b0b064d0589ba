/** For the packages of this repository, of the same version: without promise. */
export { type ForEveryN, forEveryN } from '../for-every-n.js';
export { isInCatalogue, loadEntry } from '../load-entry.js';
