/**
 * The events of the environment that the kernel knows. Further numbers are other faults, and choices
 * that open or close. A fault is called as its count in a budget.
 */

export const losses = 0;
export const crashes = 1;
export const restarts = 2;
/** The first open choice is answered. */
export const answer = 3;
/** The first action: no node is in the middle of its start any longer. */
export const begin = 4;
