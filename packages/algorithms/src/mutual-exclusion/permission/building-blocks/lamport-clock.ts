/** The reading of a Lamport clock (CACM 21:7, 1978) after an event of its own node. */
export const ticked = (clock: number): number => clock + 1;

/** Its reading after the receipt of a message with the time stamp `ts`: past that stamp and past its own earlier readings. */
export const witnessed = (clock: number, ts: number): number => Math.max(clock, ts) + 1;
