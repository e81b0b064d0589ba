import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { mersenne } from 'pure-rand/generator/mersenne';
import type { NodeId } from '../protocol/node.js';
import { requireWhole } from './size.js';

/** Seeded randomness in whole numbers only, so that every platform draws the same network. */
export interface Random {
  /** A whole number from 0 to `n` − 1. */
  below(n: number): number;
  /** True with probability `p`. */
  chance(p: number): boolean;
}

const MOST_SEED = 2 ** 32 - 1;

/** Randomness from `seed` (0 … 2³² − 1); `spec` is named when there is no such seed. */
export function random(spec: string, seed: number): Random {
  requireWhole(spec, 'the seed', seed, 0, MOST_SEED);
  // Unlike the xoroshiro and xorshift generators, this one has nothing in common between neighbouring seeds.
  const generator = mersenne(seed);
  return {
    below: (n) => uniformInt(generator, 0, n - 1),
    chance: (p) => uniformInt(generator, 0, MOST_SEED) < p * 2 ** 32,
  };
}

/** `ids` in random order: Fisher–Yates, inside out. */
export function shuffled(ids: readonly NodeId[], { below }: Random): NodeId[] {
  const order: NodeId[] = [];
  for (const id of ids) {
    const at = below(order.length + 1);
    const displaced = order[at];
    if (displaced !== undefined) order.push(displaced);
    order[at] = id;
  }
  return order;
}
