import type { NodeId } from '../base/node-id.js';
import { Random } from '../base/random.js';
import { requireWhole } from './size-limits.js';

/**
 * The random numbers of `seed` (0 … 2³² − 1). Networks draw whole numbers only, so that every
 * platform draws the same network.
 */
export function seeded(spec: string, seed: number): Random {
  requireWhole(spec, 'the seed', seed, 0, 2 ** 32 - 1);
  return new Random(seed);
}

/** `ids` in random order: Fisher–Yates, inside out. */
export function shuffled(ids: readonly NodeId[], random: Random): NodeId[] {
  const order: NodeId[] = [];
  for (const id of ids) {
    const at = random.below(order.length + 1);
    const displaced = order[at];
    if (displaced !== undefined) order.push(displaced);
    order[at] = id;
  }
  return order;
}
