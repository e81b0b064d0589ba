import type { Contenders, NodeView } from '@conclave/core/protocol';
import { ownerOf } from './actions.js';
import type { Context } from './node.js';

/**
 * What a voter knows of others: who has its vote, and whose requests wait for it. A ballot that is
 * the floor has entered, since its renewals say so. Before the first renewal, the ballot that has
 * the vote is taken for the one that has entered: it may still wait for other votes.
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
