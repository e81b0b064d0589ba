import type { Random } from '../../base/random.js';
import type { Message, NodeId } from '../../protocol/node.js';
import type { Protocol } from '../../protocol/protocol.js';
import { edge } from '../../topology/edge.js';
import { chain } from '../../topology/generators.js';
import { writeEdges } from '../../topology/literal.js';
import { shortestPaths } from '../../topology/measures.js';
import { Topology } from '../../topology/topology.js';
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
      for (const other of nodes.slice(index + 1)) {
        const isNear = this.#towards.get(one)?.get(other) === other;
        yield [isNear, this.#end(world, one, other), this.#end(world, other, one)];
      }
  }

  #end(world: TreeWorld, from: NodeId, to: NodeId): End {
    const { part, neighbours } = world.get(from) as Placed; // it has all nodes
    return endOf(part, neighbours.indexOf(this.#towards.get(from)?.get(to) ?? ''));
  }
}

type Out = Readonly<Record<NodeId, readonly Message[]>>;

/** No node of a tree has more neighbours. */
export const mostNeighbours = 3;

/** Of more nodes, trees of each form with the first node anywhere, but not in each order of names. */
const mostOrdered = 5;

/** All trees of these nodes, each of which joins one that comes before it. */
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
  return joined
    .map((before) => treeFrom(nodes, before))
    .filter((tree) => protocol.topology.refuses(tree) === undefined);
}

/** The same text for trees that differ in names only. */
const formOf = (before: readonly number[], node: number): string =>
  `(${before
    .flatMap((at, index) => (at === node ? [formOf(before, index + 1)] : []))
    .sort()
    .join('')})`;

/** A tree of these nodes in which each joins any that comes before it. */
export function randomTree(nodes: readonly NodeId[], most: number, random: Random): Topology {
  const before: number[] = [];
  for (let size = 1; size < nodes.length; size++)
    before.push(
      random.pick([...nodes.keys()].slice(0, size).filter((at) => neighboursOf(before, at) < most)),
    );
  return treeFrom(nodes, before);
}

const neighboursOf = (before: readonly number[], index: number): number =>
  before.filter((at) => at === index).length + Number(index > 0);

function treeFrom(nodes: readonly NodeId[], before: readonly number[]): Topology {
  if (nodes.length === 1) return chain(nodes);
  const links = before.flatMap((at, index) => edge(nodes[at] ?? '', nodes[index + 1] ?? ''));
  return new Topology(writeEdges({ nodes, links }), nodes, links);
}
