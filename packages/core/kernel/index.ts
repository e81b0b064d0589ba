/** The search of a system of worlds: what JavaScript calls. */
export { actions, degrees, flushEdges, targets } from './edges';
export { into, prepareExpansion, state } from './expand';
export { mostWaiting, steps } from './look-up';
export { allocate, bytes } from './memory';
export { begin, current, depth, expansions, run } from './search';
export { prepareSignatures } from './signatures';
export { prepareTables, reserveCode } from './tables';
export { directory, size, touched } from './worlds';
