/** A step that is not yet looked up: its words in this order, from `world` on its target. */

export const hash = 0;
export const action = 1;
/** The number of the world that it leaves; of a step that fails, the number of its error. */
export const source = 2;
/** 0: the target has two numbers a word. {@link wide}: one. {@link fails}: there is none. */
export const kind = 3;
export const world = 4;

export const wide = 1;
export const fails = 2;
