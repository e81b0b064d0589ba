import { Random } from '../../base/random.js';
import type { Message, NodeId } from '../../protocol/node.js';
import type { Protocol } from '../../protocol/protocol.js';
import { edge } from '../../topology/edge.js';
import { chain } from '../../topology/generators.js';
import { writeEdges } from '../../topology/literal.js';
import { shortestPaths } from '../../topology/measures.js';
import { type Link, Topology } from '../../topology/topology.js';
import type { TreePart, TreeParts } from './tree-parts.js';
import { type End, endOf } from './tree-views.js';

/** A node of a whole tree: its part, and the neighbour at each port. */
export interface Placed {
  readonly part: number;
  readonly neighbours: readonly NodeId[];
}

export type TreeWorld = ReadonlyMap<NodeId, Placed>;

/** A whole tree, and the way from each node to each other one. */
export class Tree {
  readonly #towards: ReadonlyMap<NodeId, ReadonlyMap<NodeId, NodeId>>;

  constructor(readonly topology: Topology) {
    const { nodes } = topology;
    const to = nodes.map((id) => shortestPaths(topology, id));
    this.#towards = new Map(
      nodes.map((from) => [
        from,
        new Map(nodes.map((id, index) => [id, to[index]?.get(from)?.via ?? from])),
      ]),
    );
  }

  placed(id: NodeId, parts: TreeParts, state: TreePart['state'], out: Out): Placed {
    const next = this.topology.successors(id);
    const { part, ports } = parts.of(
      id,
      next,
      state,
      next.map((to) => out[to] ?? []),
    );
    return { part, neighbours: next.map((_, port) => next[ports.indexOf(port)] ?? '') };
  }

  /** What each two nodes look like. */
  *views(world: TreeWorld): Iterable<readonly [isNear: boolean, one: End, other: End]> {
    const { nodes } = this.topology;
    for (const [index, one] of nodes.entries())
      for (const other of nodes.slice(index + 1)) yield this.#view(world, one, other);
  }

  /** What a node and each other one look like. */
  viewsOf(world: TreeWorld, one: NodeId): readonly (readonly [boolean, End, End])[] {
    return this.topology.nodes.flatMap((other) =>
      other === one ? [] : [this.#view(world, one, other)],
    );
  }

  #view(world: TreeWorld, one: NodeId, other: NodeId): readonly [boolean, End, End] {
    const isNear = this.#towards.get(one)?.get(other) === other;
    return [isNear, this.#end(world, one, other), this.#end(world, other, one)];
  }

  #end(world: TreeWorld, from: NodeId, to: NodeId): End {
    const { part, neighbours } = world.get(from) as Placed; // it has all nodes
    return endOf(part, neighbours.indexOf(this.#towards.get(from)?.get(to) ?? ''));
  }
}

type Out = Readonly<Record<NodeId, readonly Message[]>>;

/** No node of a tree has more neighbours. */
export const mostNeighbours = 3;

/** Of more nodes, trees of each form once, and not in each order of joining. */
const mostOrdered = 5;
/** How often nodes and links of each are put in another order. */
const turns = 3;

/** The trees of these nodes, the first one anywhere, and links in several orders. */
export function treesOf(nodes: readonly NodeId[], most: number, protocol: Protocol): Topology[] {
  let joined: readonly (readonly number[])[] = [[]];
  for (let size = 1; size < nodes.length; size++) {
    joined = joined.flatMap((before) =>
      Array.from({ length: size }, (_, index) => index)
        .filter((index) => neighboursOf(before, index) < most)
        .map((index) => [...before, index]),
    );
    if (size >= mostOrdered)
      joined = [...new Map(joined.map((before) => [formOf(before, 0), before])).values()];
  }
  const random = new Random(nodes.length);
  return joined
    .flatMap((before) => [
      treeFrom(nodes, before),
      ...Array.from({ length: turns }, () => turned(nodes, before, random)),
    ])
    .filter((tree) => protocol.topology.refuses(tree) === undefined);
}

/** The same text for trees that differ in names only. */
const formOf = (before: readonly number[], node: number): string =>
  `(${before
    .flatMap((at, index) => (at === node ? [formOf(before, index + 1)] : []))
    .sort()
    .join('')})`;

/** How a node of a larger tree joins those before it: a random one, or as in a chain, and so on. */
const forms: readonly ((size: number, most: number) => number | undefined)[] = [
  () => undefined,
  (size) => size - 1,
  (size, most) => Math.floor((size - 1) / (most - 1)),
  // a chain with a leaf at each node
  (size) => (size % 2 === 1 ? size - 1 : size - 2),
  // a chain that ends in a full tree
  (size, most) => (size < 9 ? size - 1 : 8 + Math.floor((size - 9) / (most - 1))),
];
export const formsOfTrees = forms.length;

/** A tree of these nodes of one of the forms, with nodes and links in any order. */
export function randomTree(
  nodes: readonly NodeId[],
  most: number,
  random: Random,
  form = 0,
): Topology {
  const before: number[] = [];
  for (let size = 1; size < nodes.length; size++) {
    const free = [...nodes.keys()].slice(0, size).filter((at) => neighboursOf(before, at) < most);
    const at = forms[form]?.(size, most) ?? random.pick(free);
    before.push(free.includes(at) ? at : random.pick(free));
  }
  return turned(nodes, before, random);
}

const neighboursOf = (before: readonly number[], index: number): number =>
  before.filter((at) => at === index).length + Number(index > 0);

/** The tree in which each node joins the one of `before`. */
const treeFrom = (nodes: readonly NodeId[], before: readonly number[]): Topology =>
  treeWith(
    nodes,
    before.map((at, index) => edge(nodes[at] ?? '', nodes[index + 1] ?? '')),
  );

/** The same tree with other names, and its nodes and links in another order. */
const turned = (nodes: readonly NodeId[], before: readonly number[], random: Random): Topology => {
  const called = random.shuffled(nodes);
  return treeWith(
    random.shuffled(nodes),
    random.shuffled(
      before.map((at, index) => random.shuffled(edge(called[at] ?? '', called[index + 1] ?? ''))),
    ),
  );
};

function treeWith(nodes: readonly NodeId[], edges: readonly (readonly Link[])[]): Topology {
  if (nodes.length === 1) return chain(nodes);
  const links = edges.flat();
  return new Topology(writeEdges({ nodes, links }), nodes, links);
}
