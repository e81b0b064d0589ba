/**
 * Mutual exclusion by a token that a node requests by broadcast (Ricart and Agrawala, CACM 26:2,
 * 1983). n messages per entry, or none where the token is; reliable channels, any order. Rules
 * BT1–BT5 and RA83: README.md
 */
import { broadcastTokenMachine, type HandOver } from '../building-blocks/broadcast-token.js';
import { waitingAmong } from '../building-blocks/token.js';

/** To the first unserved node in cyclic order. */
const inCyclicOrder: HandOver = ({ peers, requested }, token) => {
  const [next] = waitingAmong(peers, requested, token.served); // RA83
  return next === undefined ? undefined : [next, token];
};

export const machine = broadcastTokenMachine('ricart-agrawala-83', inCyclicOrder);
