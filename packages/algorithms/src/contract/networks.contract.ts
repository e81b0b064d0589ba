/** Random networks for tests, by their specs. */
import { type Topology, topology } from '@conclave/core/topology';

export const randomGraph = (n: number, p: number, seed: number): Topology =>
  topology(`random:${n}:${p}:${seed}`);

export const randomTree = (n: number, seed: number): Topology =>
  topology(`random-tree:${n}:${seed}`);

export const shuffledRing = (
  n: number,
  seed: number,
  { oneWay }: { readonly oneWay: boolean } = { oneWay: true },
): Topology => topology(`${oneWay ? 'ring' : 'two-way-ring'}:${n}:shuffled:${seed}`);
