import type { Contenders, NodeView } from '@conclave/core/protocol';
import { ownerOf } from './actions.js';
import type { Context } from './node.js';

/**
 * What a voter knows of others: who has its vote, and whose requests wait for it. A ballot that is
 * the floor is taken for the one that has entered, since the renewals of a holder raise the floor
 * to it; otherwise the ballot that has the vote. Both may still wait: the end of a lease raises the
 * floor, too (LQ12), and a vote is no majority.
 */
export function contendersOf({ id, context: of }: NodeView): Contenders {
  const context = of as unknown as Context; // of this machine
  const { vote, queue, floor } = context;
  if (vote === 0 && queue.length === 0) return none;
  const ballots = [...(vote > 0 ? [vote] : []), ...queue.map(({ ballot }) => ballot)];
  const entered = ballots.includes(floor) ? floor : vote;
  const ownersOf = (some: readonly number[]) =>
    some.map((ballot) => ownerOf(context, ballot)).filter((owner) => owner !== id);
  return {
    inside: ownersOf(ballots.filter((ballot) => ballot === entered)),
    waiting: ownersOf(ballots.filter((ballot) => ballot !== entered)),
  };
}

const none: Contenders = { inside: [], waiting: [] };
