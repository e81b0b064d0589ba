/** The small meshes on which the election is explored completely. */
import type { NodeId } from '@conclave/core/protocol';
import { type Topology, topology } from '@conclave/core/topology';
import type { SmallSystem } from '../../contract/shared.contract.js';

/**
 * The grid of so many rows and columns, its corners from left to right and from top to bottom
 * called as listed. A corner sends its id down or up its column, or along its row if its bit of
 * `alongRow` is set.
 */
export function meshOf(
  rows: number,
  columns: number,
  corners: readonly NodeId[],
  alongRow = 0,
): Topology {
  const names = namesOf(rows, columns, corners);
  const links = names.flatMap((from, index) => {
    const [row, column] = [Math.floor(index / columns), index % columns];
    const vertical = [row - 1, row + 1]
      .filter((at) => at >= 0 && at < rows)
      .map((at) => names[at * columns + column] ?? '');
    const horizontal = [column - 1, column + 1]
      .filter((at) => at >= 0 && at < columns)
      .map((at) => names[row * columns + at] ?? '');
    const place = corners.indexOf(from);
    const neighbours =
      (alongRow >> place) & 1 && place >= 0
        ? [...horizontal, ...vertical]
        : [...vertical, ...horizontal];
    return neighbours.map((to) => `${from}>${to}`);
  });
  return topology(`edges:${[...names, ...links].join(',')}`);
}

function namesOf(rows: number, columns: number, corners: readonly NodeId[]): readonly NodeId[] {
  const cornerAt = new Map(
    [0, columns - 1, (rows - 1) * columns, rows * columns - 1].map((index, place) => [
      index,
      corners[place] ?? '',
    ]),
  );
  let others = 0;
  return Array.from(
    { length: rows * columns },
    (_, index) => cornerAt.get(index) ?? `m${others++}`,
  );
}

/**
 * The orders of the corners' ids that differ by more than a rotation or a reflection: a square has
 * three, another rectangle six.
 */
export const ordersOf = (rows: number, columns: number): readonly (readonly NodeId[])[] => {
  const orders = [
    ['a', 'b', 'm9', 'z'],
    ['a', 'b', 'z', 'm9'],
    ['a', 'm9', 'b', 'z'],
    ['a', 'm9', 'z', 'b'],
    ['a', 'z', 'b', 'm9'],
    ['a', 'z', 'm9', 'b'],
  ];
  const isFirst = ([, right = '', below = '']: readonly NodeId[]) =>
    rows !== columns || right < below;
  return orders.filter(isFirst);
};

/**
 * Each mesh of this size with each order of the corners' ids, and with each of the given choices of
 * directions.
 */
export const meshes = (
  rows: number,
  columns: number,
  directions: readonly number[],
): readonly Topology[] =>
  ordersOf(rows, columns).flatMap((corners) =>
    directions.map((alongRow) => meshOf(rows, columns, corners, alongRow)),
  );

/** Every direction of every corner. */
export const allDirections: readonly number[] = Array.from({ length: 16 }, (_, bits) => bits);

/** Each of these networks with each non-empty set of initiators. */
export const anyInitiators = (topologies: readonly Topology[]): readonly SmallSystem[] =>
  topologies.flatMap((topology) =>
    Array.from({ length: 2 ** topology.nodes.length - 1 }, (_, set) => ({
      topology,
      budget: { initiators: topology.nodes.filter((_id, index) => ((set + 1) >> index) & 1) },
    })),
  );
