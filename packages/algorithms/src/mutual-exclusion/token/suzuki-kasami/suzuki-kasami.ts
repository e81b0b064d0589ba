/**
 * Mutual exclusion by a token that carries the queue of the nodes that wait for it (Suzuki and
 * Kasami, ACM TOCS 3:4, 1985). n messages per entry, or none where the token is; reliable channels,
 * any order. Rules BT1–BT5 and SK1: README.md
 */
import { broadcastTokenMachine, type HandOver } from '../building-blocks/broadcast-token.js';
import { waitingAmong } from '../building-blocks/token.js';

/**
 * To the first node of the token's queue, after the unserved nodes that are not in it are appended.
 */
const inQueueOrder: HandOver = ({ peers, requested }, { served, queue: before = [] }) => {
  const newcomers = waitingAmong(peers, requested, served).filter((id) => !before.includes(id));
  if (before.length + newcomers.length === 0) return undefined;
  const [next, ...queue] = [...before, ...newcomers]; // SK1
  return next === undefined ? undefined : [next, { served, queue }];
};

export const machine = broadcastTokenMachine('suzuki-kasami', inQueueOrder);
