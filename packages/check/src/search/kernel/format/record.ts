/**
 * A step that waits to be looked up, as the kernel writes it and this package reads it. These are
 * positions of its 32-bit words; the numbers of the world to which it leads begin at `world`. Most
 * numbers are below 65,536, so two of them share a word unless one of the world is larger.
 */

/** Of the target. */
export const hash = 0;
export const action = 1;
/** The number of the world that the step leaves; if it fails, the number of its error. */
export const source = 2;
/** 0: two numbers share a word. {@link wide}: each has one. {@link fails}: there is no target. */
export const kind = 3;
export const world = 4;

export const wide = 1;
export const fails = 2;
