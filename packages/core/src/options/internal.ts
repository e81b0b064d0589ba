/** For the packages of this repository, of the same version: without promise. */
export { checkOptions, type Schema, wantedInstead } from './check.js';
export { schemas } from './schemas.js';
export { choices } from './values.js';
