/**
 * Mutual exclusion by a token that carries the queue of those who wait for it (Suzuki and Kasami, ACM TOCS 3:4, 1985).
 * n messages per entry, or none where the token is; reliable channels, any order. Rules T1–T5 and SK1: README.md
 */
import { asker, type HandOver } from '../building-blocks/broadcast-token.js';
import { unserved } from '../building-blocks/token-knowledge.js';

/** To the first in the queue on the token, when those have been added who have wished since and do not stand in it. */
const inTurn: HandOver = ({ peers, requested }, { served, queue: before = [] }) => {
  const newcomers = unserved(peers, requested, served).filter((id) => !before.includes(id));
  const [next, ...queue] = [...before, ...newcomers]; // SK1
  return next === undefined ? undefined : [next, { served, queue }];
};

export const machine = asker('suzuki-kasami', inTurn);
