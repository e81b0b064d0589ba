/**
 * Numbers that the kernel (packages/core/kernel, AssemblyScript) shares with JavaScript: both
 * compile this file.
 */

/** The kinds of tables: see Tables. The first key of `own` … is a configuration or a message. */
export const own = 0;
export const nodeLater = 1;
export const contentLater = 2;
export const isDue = 3;
export const crash = 4;
export const restart = 5;
export const crashed = 6;
export const mayCrash = 7;
export const answer = 8;
export const delivery = 9;
export const drop = 10;
export const duplicate = 11;
export const pushed = 12;
export const duplicated = 13;
export const dequeues = 14;
export const unsent = 15;
export const environment = 16;
export const after = 17;
export const inside = 18;
export const insideStarts = 19;
/** The class of a configuration of a node, or of a content: what the properties can tell apart. */
export const nodeClass = 20;
export const contentClass = 21;
/** How many kinds there are. */
export const kinds = 22;

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

/** In a record, instead of whether its world is wide: its step fails. */
export const fails = 2;

/**
 * The bytes of one memory for worlds: most of the 4 GiB that WebAssembly addresses. The rest is for
 * tables.
 */
export const mostWorldBytes = 0xf000_0000;

/** How many worlds a page holds, as a power of two. */
export const pageBits = 14;
