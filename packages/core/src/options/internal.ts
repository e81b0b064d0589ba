/** For the packages of this repository, of the same version: without promise. */
export { checkOptions, type Schema, wantedInstead } from '../schema/check.js';
export { choices } from '../schema/values.js';
export { schemas } from './schemas.js';
