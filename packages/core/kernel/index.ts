/** The search of a system of worlds: what JavaScript calls. */
export { actions, degrees, flushEdges, targets } from './edges';
export { collect, into, later, prepareExpansion, state } from './expand';
export { mostWaiting, steps } from './look-up';
export { allocate, bytes } from './memory';
export { preparePending, records } from './pending';
export { begin, current, depth, expansions, run } from './search';
export { prepareSignatures } from './signatures';
export { known, prepareTables, reserveCode } from './tables';
export { add, directory, prepareWorlds, recordBytes, size, touch, touched } from './worlds';
