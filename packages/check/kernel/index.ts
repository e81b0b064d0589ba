/** The search of a system of worlds: what JavaScript calls. */
export { actions, degrees, flushEdges, targets } from './edges';
export { collect, later, prepareExpansion } from './expand';
export { mostWaiting, steps } from './look-up';
export { allocate, bytes } from './memory';
export { clear, end, preparePending, push, records, setSource } from './pending';
export { begin, current, depth, expansions, run } from './search';
export { prepareSignatures } from './signatures';
export { known, prepareTables, reserveCode } from './tables';
export { into, state } from './world';
export { add, directory, prepareWorlds, recordBytes, size, touch, touched } from './worlds';
