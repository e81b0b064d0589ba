/** The grids and hypercubes of scripts/verified-systems.mjs: each order of the ids that matters. */
import { hypercube, topology } from '@conclave/core/topology';

const permutations = (ids) =>
  ids.length === 0 ? [[]] : ids.flatMap((id) => permutations(ids.filter((other) => other !== id)).map((rest) => [id, ...rest]));

/**
 * The grids of so many rows and columns with each order of the corners' ids, up to rotation and reflection: a square has three, another grid six.
 * A corner sends its id along its row if its bit of one of `directions` is set, else along its column.
 */
export function grids(rows, columns, directions = [0]) {
  const orders = permutations(['b', 'm9', 'z'])
    .map((others) => ['a', ...others])
    .filter(([, right, below]) => rows !== columns || right < below);
  return orders.flatMap((corners) => directions.map((alongRow) => gridOf(rows, columns, corners, alongRow)));
}

function gridOf(rows, columns, corners, alongRow) {
  const places = [0, columns - 1, (rows - 1) * columns, rows * columns - 1];
  let others = 0;
  const names = Array.from({ length: rows * columns }, (_, index) => corners[places.indexOf(index)] ?? `m${others++}`);
  const links = names.flatMap((from, index) => {
    const [row, column] = [Math.floor(index / columns), index % columns];
    const vertical = [row - 1, row + 1].filter((at) => at >= 0 && at < rows).map((at) => names[at * columns + column]);
    const horizontal = [column - 1, column + 1].filter((at) => at >= 0 && at < columns).map((at) => names[row * columns + at]);
    const turned = places.includes(index) && (alongRow >> places.indexOf(index)) & 1;
    return (turned ? [...horizontal, ...vertical] : [...vertical, ...horizontal]).map((to) => `${from}>${to}`);
  });
  return topology(`edges:${[...names, ...links].join()}`);
}

/** The hypercubes of d dimensions with each order of their ids, up to the choice of the first node. */
export function cubes(d) {
  const { nodes, links } = hypercube(d);
  const [first, ...others] = nodes;
  return permutations(others).map((order) => {
    const ids = [first, ...order];
    const nameOf = new Map(nodes.map((id, index) => [id, ids[index]]));
    return topology(`edges:${[...ids, ...links.map(({ from, to, port }) => `${nameOf.get(from)}>${nameOf.get(to)}@${port}`)].join()}`);
  });
}

/** Each network with each non-empty set of initiators. */
export const withAnyInitiators = (topologies) =>
  topologies.flatMap((network) =>
    Array.from({ length: 2 ** network.nodes.length - 1 }, (_, set) => [
      network,
      { initiators: network.nodes.filter((_id, index) => ((set + 1) >> index) & 1) },
    ]),
  );

const ofRuns = ['eventually', 'leadsTo', 'atMost', 'increases', 'everyStep', 'overtaken'];

/** The budget of a search that leaves out orders of independent steps: it judges the properties of states only. */
export const reduced = ({ properties }) => ({ reduce: 'order', properties: properties.filter(({ kind }) => !ofRuns.includes(kind)) });
