/**
 * The events that change the environment, as columns of the table `after`: environment, event → the
 * next environment. Read as `events.losses`; compiled into the kernel as well. A fault is called as
 * its count in a budget. The numbers from 5 on are given out while tables are filled: other faults,
 * and a choice that opens or closes.
 */

export const losses = 0;
export const crashes = 1;
export const restarts = 2;
/** The first open choice is answered. */
export const answer = 3;
/** The first action: no node is in the middle of its start any longer. */
export const begin = 4;
