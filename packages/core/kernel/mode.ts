/** What this thread does. */

/** It searches alone. */
export const alone = 0;
/** It expands its part of a round: other threads read the tables as well, so nothing is entered. */
export const expands = 1;
/** It expands the worlds of a round for which entries were missing. */
export const catchesUp = 2;
/** It tells JavaScript, in their order, what the threads have found. */
export const replays = 3;

export let mode: i32 = 0; // alone

/** Whether the world that is expanded misses an entry; it has to wait for the end of the round. */
export let isMissing = false;

/** Instead of a missing entry: no step, an empty list. */
export function miss(): i32 {
  isMissing = true;
  return 0;
}

export function forgetMissing(): void {
  isMissing = false;
}

export function setMode(next: i32): void {
  mode = next;
}
