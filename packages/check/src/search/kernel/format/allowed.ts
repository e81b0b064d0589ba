/**
 * What a world allows the environment, as bits of one number, which is the first of the entry that
 * the table `environment` has for it: the kernel asks for each node and channel of a world, so it
 * tests bits instead of reading budgets. Read as `allowed.crash`; compiled into the kernel as well.
 */

/** A node must answer a choice; until then nothing else happens. */
export const choose = 1;
/** The budget has losses left; crashes; restarts. */
export const lose = 2;
export const crash = 4;
export const restart = 8;
/** Some channel is cut. */
export const cut = 16;
/** The network may split, or heal. */
export const splitOrHeal = 32;
/** No action yet: a node may still crash in the middle of its start. */
export const starting = 64;
/** The node that chooses has another choice to make. */
export const chooseAgain = 128;
/** The first of the other faults of channels; each has a bit, and this is the least. */
export const otherFault = 256;
