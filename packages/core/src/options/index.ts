export { checkOptions, optionsOf, type Schema, wantedInstead } from './check.js';
export { embedEntries } from './embedding.js';
export { fields, protocolGiven, signal } from './things.js';
export { choices, count, measure, measureAbove0, optional, positive, probability, seed, upTo } from './values.js';
