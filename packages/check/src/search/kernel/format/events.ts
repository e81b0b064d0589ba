/** The events of the environment; further numbers are choices that open or close. */

export const loss = 0;
export const duplication = 1;
export const crash = 2;
export const restart = 3;
/** The first open choice is answered. */
export const answer = 4;
/** The first action: no node is in the middle of its start any longer. */
export const begin = 5;
