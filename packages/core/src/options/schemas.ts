/** What single options may be: for tools on top, such as the command line. */
export { optionsOf } from './check.js';
export { embedEntries } from './embedding.js';
export { fields, protocol, protocolGiven, signal } from './shapes.js';
export { drift } from './time.js';
export { count, flag, measure, measureAbove0, optional, positive, probability, seed, upTo } from './values.js';
