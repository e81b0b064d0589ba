/**
 * Mutual exclusion by a token that is sought by broadcast (Ricart and Agrawala, CACM 26:2, 1983).
 * n messages per entry, or none where the token is; reliable channels, any order. Rules T1–T5 and RA1: README.md
 */
import { asker, type HandOver } from '../building-blocks/broadcast-token.js';
import { unserved } from '../building-blocks/token-knowledge.js';

/** To the first, going around, who has wished and not been served. */
const goRound: HandOver = ({ peers, requested }, token) => {
  const [next] = unserved(peers, requested, token.served); // RA1
  return next === undefined ? undefined : [next, token];
};

export const machine = asker('ricart-agrawala-83', goRound);
