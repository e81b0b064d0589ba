/**
 * The events that change the environment, as columns of the table `after`: environment, event → the
 * next environment. Read as `events.loss`; compiled into the kernel as well. The numbers from 6 on
 * are given out while tables are filled: a choice that opens or closes.
 */

export const loss = 0;
export const duplication = 1;
export const crash = 2;
export const restart = 3;
/** The first open choice is answered. */
export const answer = 4;
/** The first action: no node is in the middle of its start any longer. */
export const begin = 5;
