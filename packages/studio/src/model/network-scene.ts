import type { NodeId } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import { labelSides, type Side } from './label-places.js';
import { networkLayout, type Point } from './network-layout.js';

/** Everything about a drawing of a network that no step changes. */
export interface NetworkScene {
  readonly width: number;
  readonly height: number;
  /** Of a node. */
  readonly radius: number;
  readonly nodes: readonly SceneNode[];
  readonly places: ReadonlyMap<NodeId, Point>;
  /** Each pair of neighbours once. */
  readonly pairs: readonly Pair[];
  /** Whether there is room for the state of each node, beside its name. */
  readonly hasStates: boolean;
  /** How many letters of a state are written. */
  readonly letters: number;
}

export interface SceneNode {
  readonly id: NodeId;
  readonly at: Point;
  readonly side: Side;
  /** Whether its name fits into its circle. */
  readonly isNameInside: boolean;
}

export interface Pair {
  readonly from: NodeId;
  readonly to: NodeId;
  /** Whether there is only the channel from the first to the second. */
  readonly isOneWay: boolean;
}

/** How wide a letter is, in pixels, on average. */
const letter = 6.2;

/**
 * How far to move a text of this width that begins or ends at `x`, or has its middle there, to keep
 * it and its outline inside.
 */
export function inward(
  wide: number,
  anchor: 'start' | 'middle' | 'end',
  x: number,
  width: number,
): number {
  const left = x - { start: 0, middle: wide / 2, end: wide }[anchor];
  return Math.max(3, Math.min(left, width - wide - 3)) - left;
}

/** The drawing of a network in a space of this size, in pixels. */
export function networkScene(topology: Topology, width: number, height: number): NetworkScene {
  const least = Math.min(width, height);
  const isTight = least < 260 || (topology.nodes.length > 12 && least < 520);
  const margin = isTight ? 26 : 40;
  const { places, closest } = networkLayout(topology, { width, height, margin });
  const radius = Math.min(isTight ? 14 : 20, Math.max(7, closest * 0.27));
  const letters = Math.min(15, Math.max(10, Math.floor((closest + 12) / letter)));
  const isInside = (id: NodeId) => id.length * letter * 1.15 <= 2 * radius - 7;
  const pairs = pairsOf(topology);
  const hasStates = closest > (topology.nodes.every(isInside) ? 40 : 62);
  const at = (id: NodeId): Point => places.get(id) ?? { x: width / 2, y: height / 2 };
  const labels = topology.nodes.map((id) => {
    const lines = (isInside(id) ? 0 : 1) + (hasStates ? 1 : 0);
    const longest = Math.max(isInside(id) ? 0 : id.length, hasStates ? Math.min(9, letters) : 0);
    return { at: at(id), width: longest * letter, height: Math.max(lines, 1) * 13 };
  });
  const lines = pairs.map(({ from, to }) => [at(from), at(to)] as const);
  const sides = labelSides(labels, lines.length > 120 ? [] : lines, radius, { width, height });
  const nodes = topology.nodes.map((id, index) => ({
    id,
    at: at(id),
    side: sides[index] ?? 'below',
    isNameInside: isInside(id),
  }));
  return { width, height, radius, nodes, places, pairs, hasStates, letters };
}

function pairsOf(topology: Topology): readonly Pair[] {
  const order = new Map(topology.nodes.map((id, index) => [id, index]));
  return topology.links.flatMap(({ from, to }) => {
    const back = topology.link(to, from) !== undefined;
    const isFirst = !back || (order.get(from) ?? 0) < (order.get(to) ?? 0);
    return isFirst ? [{ from, to, isOneWay: !back }] : [];
  });
}
