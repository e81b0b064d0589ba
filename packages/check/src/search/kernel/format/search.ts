/** What the kernel tells of a search, and the sizes of its memory. */

/**
 * How `run` returns: it wants to be continued, every world is expanded, the listener ended the
 * search, or a limit is reached.
 */
export const goesOn = 0;
export const isDone = 1;
export const isEnded = 2;
export const atStates = 3;
export const atDepth = 4;

/**
 * How time passes in a world: not, since something is due; without a trace; or it changes the
 * world.
 */
export const due = 0;
export const unchanged = 1;
export const changed = 2;

/**
 * The bytes of one memory for worlds: most of the 4 GiB that WebAssembly addresses. The rest is for
 * tables.
 */
export const mostWorldBytes = 0xf000_0000;

/** How many worlds a page holds, as a power of two. */
export const pageBits = 14;
