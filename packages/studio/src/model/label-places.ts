import type { Point, Size } from './network-layout.js';

export type Side = 'below' | 'above' | 'right' | 'left';

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
 * On which side of its node each label is: where it covers the fewest nodes, other labels and
 * lines. One after the other, so that the result depends on the arguments only.
 */
export function labelSides(
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

/**
 * From 1 where a side is towards the centre to −1 where it is away from it: there are more lines
 * towards the centre.
 */
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
