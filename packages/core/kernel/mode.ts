/** What this thread does. */

/** It searches alone. */
export const alone = 0;
/** It expands its part of a round: other threads read the tables as well, so nothing is entered. */
export const expands = 1;
/** It expands the worlds of a round for which entries were missing. */
export const catchesUp = 2;
/** It tells JavaScript, in their order, what the threads have found. */
export const replays = 3;

export let mode = alone;

export function setMode(next: i32): void {
  mode = next;
}
