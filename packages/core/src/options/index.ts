export { checkOptions, wantedInstead } from './check.js';
export * as schemas from './schemas.js';
export { choices } from './values.js';
