/** A step in the code: its numbers in this order, from `sends` on slot, message, slot … */

export const action = 0;
/** The next configuration of the node. */
export const place = 1;
/** Where its sends end. */
export const end = 2;
/**
 * 0: nothing more happens. {@link fails}: it fails. Else `firstEvent` plus the number of its event
 * of the environment.
 */
export const rare = 3;
export const sends = 4;

export const fails = 1;
export const firstEvent = 2;
