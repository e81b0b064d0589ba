/**
 * The events that change the environment, as columns of the table `after`: environment, event → the
 * next environment; those that the kernel knows. Read as `events.losses`, a fault by its count in a
 * budget; compiled into the kernel as well. Further numbers are given out while tables are filled:
 * other faults, and choices that open or close.
 */

export const losses = 0;
export const crashes = 1;
export const restarts = 2;
/** The first open choice is answered. */
export const answer = 3;
/** The first action: no node is in the middle of its start any longer. */
export const begin = 4;
