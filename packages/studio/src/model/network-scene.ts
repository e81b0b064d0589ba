/**
 * What the drawing of a network shows and no step changes: nodes, which of them are neighbours, and
 * labels that hide as little as possible. Messages: channel-line.ts, flights.ts
 */
import type { NodeId } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import { networkLayout, type Point, type Size } from './network-layout.js';

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

/** How far to move a text at `x`, with its outline, to keep it inside. */
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

type Side = 'below' | 'above' | 'right' | 'left';

interface Label extends Size {
  /** The middle of the node. */
  readonly at: Point;
}

interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

const sides: readonly Side[] = ['below', 'above', 'right', 'left'];

/**
 * On which side of its node each label is: where it covers the least of nodes, other labels and
 * lines. To be outside the drawing is worst. Labels are placed one after the other, so that the
 * result depends on the arguments only.
 */
function labelSides(
  labels: readonly Label[],
  lines: readonly (readonly [Point, Point])[],
  radius: number,
  space: Size,
): readonly Side[] {
  const nodes = labels.map(({ at }) => around(at, radius + 2));
  const placed: Box[] = [];
  return labels.map((label, index) => {
    let [best, least]: [Side, number] = ['below', Infinity];
    for (const [preference, side] of sides.entries()) {
      const box = labelBox(label, side, radius);
      const beyond = [-box.left, -box.top, box.right - space.width, box.bottom - space.height];
      const outside = sumOf(beyond, (distance) => Math.max(0, distance));
      const covered = sumOf(nodes, (node) => (node === nodes[index] ? 0 : overlap(box, node)));
      const other = sumOf(placed, (before) => overlap(box, before));
      const crossed = sumOf(lines, ([from, to]) => (crosses(box, from, to) ? 1 : 0));
      const inwards = toCentre(label.at, side, space) * 20;
      const cost =
        outside * 1000 + covered * 6 + other * 4 + crossed * 26 + inwards + preference * 3;
      if (cost < least) [best, least] = [side, cost];
    }
    placed.push(labelBox(label, best, radius));
    return best;
  });
}

const sumOf = <T>(values: readonly T[], of: (value: T) => number): number =>
  values.reduce((sum, value) => sum + of(value), 0);

export function labelBox({ at: { x, y }, width, height }: Label, side: Side, radius: number): Box {
  const gap = radius + 3;
  const left = side === 'left' ? x - gap - width : side === 'right' ? x + gap : x - width / 2;
  const top = side === 'above' ? y - gap - height : side === 'below' ? y + gap : y - height / 2;
  return { left, top, right: left + width, bottom: top + height };
}

/** From 1 towards the centre, where most lines are, to −1 away from it. */
function toCentre({ x, y }: Point, side: Side, { width, height }: Size): number {
  const [dx, dy] = [width / 2 - x, height / 2 - y];
  const along = { below: dy, above: -dy, right: dx, left: -dx };
  return along[side] / Math.max(1, Math.hypot(dx, dy));
}

const around = ({ x, y }: Point, by: number): Box => ({
  left: x - by,
  right: x + by,
  top: y - by,
  bottom: y + by,
});

const overlap = (one: Box, other: Box): number =>
  Math.max(0, Math.min(one.right, other.right) - Math.max(one.left, other.left)) *
  Math.max(0, Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top));

/** Whether a line from one point to another goes through a box (Liang and Barsky). */
function crosses({ left, top, right, bottom }: Box, from: Point, to: Point): boolean {
  let [first, last] = [0, 1];
  const clip = (delta: number, least: number, most: number): boolean => {
    if (delta === 0) return least <= 0 && most >= 0;
    const [near, far] = delta > 0 ? [least / delta, most / delta] : [most / delta, least / delta];
    first = Math.max(first, near);
    last = Math.min(last, far);
    return first <= last;
  };
  return (
    clip(to.x - from.x, left - from.x, right - from.x) &&
    clip(to.y - from.y, top - from.y, bottom - from.y)
  );
}
