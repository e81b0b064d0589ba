/** Lamport's clock (CACM 21:7, 1978), a number: what it reads after something has happened in its own node. */
export const ticked = (clock: number): number => clock + 1;

/** What it reads after a message with the stamp `ts` has come: past that stamp, and past all that it read before. */
export const witnessed = (clock: number, ts: number): number => Math.max(clock, ts) + 1;
