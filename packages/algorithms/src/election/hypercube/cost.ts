/** What an election in a hypercube costs. */
import type { NodeId } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';

interface Bounds {
  readonly least: number;
  readonly most: number;
}

/**
 * On a given network the duels and the ways of all matches are determined by the ids. Each match to
 * the winner of its duel arrives; one to the loser is sent at least once, since it is dropped where
 * the leader is known before it arrives. Without a network: for all orders of the ids.
 */
export function cost(n: number, topology?: Topology): Bounds {
  const d = Math.ceil(Math.log2(n));
  if (!topology) return { least: 3 * (n - 1), most: 7 * n - d * d - 3 * d - 7 };
  const ids = inOrderOfCoordinates(topology);
  const winners = new Map<number, number>();
  const bounds = { least: n - 1, most: n - 1 };
  /**
   * The winner of the subcube in which the lowest `dimensions` coordinates are free, and the others
   * those of `corner`.
   */
  const play = (corner: number, dimensions: number): number => {
    if (dimensions === 0) return corner;
    const stage = dimensions - 1;
    const duellists = [play(corner, stage), play(corner | (1 << stage), stage)] as const;
    const [loser, winner] =
      (ids[duellists[0]] ?? '') < (ids[duellists[1]] ?? '')
        ? duellists
        : [duellists[1], duellists[0]];
    bounds.least += 1 + hops(loser, stage);
    bounds.most += hops(winner, stage) + hops(loser, stage);
    winners.set(loser, winner);
    return winner;
  };
  /**
   * The length of the way of the match from `duellist`: across the dimension, then from each
   * defeated node to its winner.
   */
  const hops = (duellist: number, stage: number): number => {
    let length = 1;
    for (
      let at = duellist ^ (1 << stage), next = winners.get(at);
      next !== undefined;
      at = next, next = winners.get(at)
    )
      length += distance(at, next);
    return length;
  };
  play(0, d);
  return bounds;
}

function distance(one: number, other: number): number {
  let differing = 0;
  for (let bits = one ^ other; bits > 0; bits &= bits - 1) differing++;
  return differing;
}

/** The ids by coordinates: bit i is set if dimension i separates a node from the first one. */
function inOrderOfCoordinates(topology: Topology): readonly NodeId[] {
  const [first = ''] = topology.nodes;
  return topology.nodes.map((_id, index) => {
    let at = first;
    for (let bit = 0; 1 << bit <= index; bit++)
      if ((index >> bit) & 1) at = topology.at(at, `${bit}`) ?? at;
    return at;
  });
}
