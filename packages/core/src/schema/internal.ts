/** For the packages of this repository, of the same version: without promise. */
export { optionsOf } from './check.js';
export {
  bound,
  callback,
  count,
  crashPlaces,
  flag,
  listOf,
  measure,
  nodeIds,
  oneOf,
  optional,
  positive,
  seed,
  textOrCallback,
  whole,
} from './values.js';
