/** What single options may be: for tools on top, such as the command line. */
export { optionsOf } from './check.js';
export { embedEntries } from './embedding.js';
export { fields, logger, protocol, protocolGiven, signal, telemetry } from './shapes.js';
export { drift } from './time.js';
export {
  callback,
  count,
  flag,
  measure,
  measureAbove0,
  oneOf,
  optional,
  positive,
  probability,
  seed,
  text,
  upTo,
  whole,
} from './values.js';
