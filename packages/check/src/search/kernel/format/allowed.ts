/**
 * What a world allows the environment, as bits of one number: the first of the list that the table
 * `environment` has for it. The kernel asks for each configuration of a world, so it tests bits
 * instead of reading budgets. Read as `allowed.crash`; compiled into the kernel as well.
 */

/** A node must answer a choice; until then nothing else happens. */
export const choose = 1;
export const lose = 2;
export const crash = 4;
export const restart = 8;
/** Some channel is cut. */
export const cut = 16;
/** The network may split, or heal. */
export const change = 32;
/** No action yet: a node may still crash in the middle of its start. */
export const begin = 64;
/** The node that chooses has another choice to make. */
export const again = 128;
/** The first of the other faults of channels; each has a bit, and this is the least. */
export const disturb = 256;
