/** Where the nodes of a network are drawn: by its shape where that is known, else by forces. */
import type { NodeId } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** The space for a drawing, in its own units, and the margin around the centres of nodes. */
interface Space extends Size {
  readonly margin: number;
}

interface NetworkLayout {
  readonly places: ReadonlyMap<NodeId, Point>;
  /** The distance of the closest two nodes; of a single node: the smaller side of the space. */
  readonly closest: number;
}

type Draw = (topology: Topology, aspect: number) => Shape;

/** Where nodes are, in units of its own. */
interface Shape {
  readonly points: readonly Point[];
  /** Whether a unit is the same in both directions, as on a map or a circle. */
  readonly isRigid: boolean;
}

/**
 * Where to draw the nodes of a network, by its kind: rings and complete networks on a circle, trees
 * by levels, grids in rows, backbones on a map, others by forces between nodes. The same arguments
 * give the same places.
 */
export function networkLayout(topology: Topology, { width, height, margin }: Space): NetworkLayout {
  const inner = {
    width: Math.max(1, width - 2 * margin),
    height: Math.max(1, height - 2 * margin),
  };
  const alone = Math.min(width, height);
  // the first drawing with room between its nodes, else the roomiest; pushed apart if that helps
  const drawings = drawsOf(topology).map((draw) => {
    const points = fit(draw(topology, inner.width / inner.height), inner, margin);
    return { points, closest: closestOf(points, alone) };
  });
  const roomiest = drawings.reduce((best, one) => (one.closest > best.closest ? one : best));
  const best = drawings.find(({ closest }) => closest >= 1.6 * margin) ?? roomiest;
  const moved = spread(best.points, { width, height, margin });
  const apart = closestOf(moved, alone) > best.closest ? moved : best.points;
  return {
    places: new Map(
      topology.nodes.map((id, index) => [id, apart[index] ?? { x: width / 2, y: height / 2 }]),
    ),
    closest: closestOf(apart, alone),
  };
}

/** The usual drawing first, then others for a space that is too narrow for it. */
function drawsOf({ spec, places, nodes }: Topology): readonly [Draw, ...Draw[]] {
  if (places.size === nodes.length) return [onMap];
  const [kind = '', ...rest] = spec.replace(/-over(@[^:]*)?:.*$/, '').split(':');
  switch (kind) {
    case 'ring':
    case 'two-way-ring':
    case 'complete':
      return [onCircle];
    case 'chain':
      return [inLine, inSnake];
    case 'star':
      return [aroundFirst];
    case 'tree':
    case 'random-tree':
      return [byLevels, byLevelsAcross, byForces];
    case 'grid':
    case 'torus':
      return [inRows(Number(rest[0]?.split('x')[1] ?? widest(nodes.length)))];
    case 'hypercube':
      return [nodes.length <= 16 ? asCube : onCircle];
    default:
      return [byForces];
  }
}

/** The columns of an overlay's grid, which its spec does not say: nearly a square. */
function widest(n: number): number {
  let rows = Math.floor(Math.sqrt(n));
  while (rows > 1 && n % rows !== 0) rows -= 1;
  return n / rows;
}

/** Clockwise in the order of the nodes, the first at the top. */
const onCircle: Draw = ({ nodes }, aspect) => ({
  points: nodes.map((_, index) => onEllipse(index, nodes.length, aspect)),
  isRigid: true,
});

/** Point `index` of `n` on an ellipse of this aspect, at most half as long again as wide. */
function onEllipse(index: number, n: number, aspect: number): Point {
  const angle = (2 * Math.PI * index) / n - Math.PI / 2;
  const [wide, high] = [Math.min(1.5, Math.max(1, aspect)), Math.min(1.5, Math.max(1, 1 / aspect))];
  return { x: wide * Math.cos(angle), y: high * Math.sin(angle) };
}

const inLine: Draw = ({ nodes }, aspect) => ({
  points: nodes.map((_, index) => (aspect >= 1 ? { x: index, y: 0 } : { x: 0, y: index })),
  isRigid: false,
});

/** In rows, every second one backwards. */
const inSnake: Draw = ({ nodes }, aspect) => {
  const columns = Math.max(1, Math.ceil(Math.sqrt(nodes.length * aspect)));
  const along = (index: number) =>
    Math.floor(index / columns) % 2 === 0 ? index % columns : columns - 1 - (index % columns);
  return {
    points: nodes.map((_, index) => ({ x: along(index), y: Math.floor(index / columns) })),
    isRigid: false,
  };
};

const aroundFirst: Draw = ({ nodes }, aspect) => ({
  points: nodes.map((_, index) =>
    index === 0 ? { x: 0, y: 0 } : onEllipse(index - 1, nodes.length - 1, aspect),
  ),
  isRigid: true,
});

const inRows =
  (columns: number): Draw =>
  ({ nodes }) => ({
    points: nodes.map((_, index) => ({ x: index % columns, y: Math.floor(index / columns) })),
    isRigid: false,
  });

/** By the bits of a node's position: a square, a cube, or a cube in a cube. */
const asCube: Draw = ({ nodes }) => ({
  points: nodes.map((_, index) => {
    const bit = (place: number) => (index >> place) & 1;
    const [x, y, z, w] = [bit(0), bit(1), bit(2), bit(3)];
    return nodes.length <= 8
      ? { x: x + 0.45 * z, y: -y - 0.4 * z }
      : { x: x + 0.38 * z + 1.75 * w, y: -y - 0.36 * z - 0.28 * w };
  }),
  isRigid: nodes.length > 2,
});

/** Each parent in the middle above its children, in the breadth-first tree of the first node. */
const byLevels: Draw = (topology) => {
  const children = new Map<NodeId, readonly NodeId[]>();
  const [root = ''] = topology.nodes;
  const level = new Map([[root, 0]]);
  const order = [root];
  for (const id of order) {
    const below = topology.successors(id).filter((next) => !level.has(next));
    for (const child of below) level.set(child, (level.get(id) ?? 0) + 1);
    children.set(id, below);
    order.push(...below);
  }
  const across = new Map<NodeId, number>();
  let leaves = 0;
  const place = (id: NodeId): number => {
    const below = (children.get(id) ?? []).map(place);
    const x = below.length === 0 ? leaves++ : ((below[0] ?? 0) + (below.at(-1) ?? 0)) / 2;
    across.set(id, x);
    return x;
  };
  place(root);
  return {
    points: topology.nodes.map((id) => ({ x: across.get(id) ?? leaves++, y: level.get(id) ?? 0 })),
    isRigid: false,
  };
};

/** By levels from left to right. */
const byLevelsAcross: Draw = (topology, aspect) => {
  const { points, isRigid } = byLevels(topology, aspect);
  return { points: points.map(({ x, y }) => ({ x: y, y: x })), isRigid };
};

/** Degrees east and north, a degree east as long as it is in the middle of the map. */
const onMap: Draw = ({ nodes, places }) => {
  const sites = nodes.map((id) => places.get(id) ?? { latitude: 0, longitude: 0 });
  const latitudes = sites.map(({ latitude }) => latitude);
  const middle = (Math.min(...latitudes) + Math.max(...latitudes)) / 2;
  const shrink = Math.cos((middle * Math.PI) / 180);
  return {
    points: sites.map(({ latitude, longitude }) => ({ x: longitude * shrink, y: -latitude })),
    isRigid: true,
  };
};

const rounds = 400;

/**
 * By forces (Fruchterman and Reingold 1991): neighbours attract, all repel each other, and what
 * moves slows down. It begins on a circle and draws no random number.
 */
const byForces: Draw = ({ nodes: ids, links }, aspect) => {
  const n = ids.length;
  const wide = Math.sqrt(Math.min(3, Math.max(1 / 3, aspect)));
  const ideal = 1 / Math.sqrt(n);
  const nodes = ids.map((_, index) => ({
    x: (wide * Math.cos((2 * Math.PI * index) / n)) / 2,
    y: Math.sin((2 * Math.PI * index) / n + index * 1e-3) / (2 * wide),
    ...{ dx: 0, dy: 0 },
  }));
  type Node = (typeof nodes)[number];
  const places = new Map(ids.map((id, index) => [id, index]));
  /** Each pair of neighbours once. */
  const pairs = links.flatMap(({ from, to }): readonly (readonly [Node, Node])[] => {
    const [a = 0, b = 0] = [places.get(from), places.get(to)];
    const isFirst = a < b || !links.some((other) => other.from === to && other.to === from);
    const [one, other] = [nodes[a], nodes[b]];
    return isFirst && one && other ? [[one, other]] : [];
  });
  const push = (one: Node, other: Node, force: (distance: number) => number) => {
    const [x, y] = [one.x - other.x, one.y - other.y];
    const distance = Math.max(1e-6, Math.hypot(x, y));
    const strength = force(distance) / distance;
    one.dx += x * strength;
    one.dy += y * strength;
    other.dx -= x * strength;
    other.dy -= y * strength;
  };
  for (let round = 0; round < rounds; round++) {
    for (const node of nodes) [node.dx, node.dy] = [0, 0];
    for (const [index, one] of nodes.entries())
      for (const other of nodes.slice(index + 1))
        push(one, other, (distance) => ideal ** 2 / distance);
    for (const [one, other] of pairs) push(one, other, (distance) => -(distance ** 2) / ideal);
    const most = 0.1 * (1 - round / rounds);
    for (const node of nodes) {
      const length = Math.max(1e-9, Math.hypot(node.dx, node.dy));
      const step = Math.min(length, most) / length;
      node.x += node.dx * step;
      node.y += node.dy * step;
    }
  }
  return { points: nodes.map(({ x, y }) => ({ x, y })), isRigid: false };
};

/** The points of a shape, scaled and moved into a space of this size with margins around it. */
function fit(
  { points, isRigid }: Shape,
  { width, height }: Size,
  margin: number,
): readonly Point[] {
  const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)];
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  const [wide, high] = [Math.max(...xs) - left, Math.max(...ys) - top];
  const [across, down] = [wide && width / wide, high && height / high];
  const least = Math.min(across || Infinity, down || Infinity);
  const scaled = (from: number, scale: number) => from && from * (isRigid ? least : scale);
  return points.map(({ x, y }) => ({
    x: margin + width / 2 + scaled(x - left - wide / 2, across),
    y: margin + height / 2 + scaled(y - top - high / 2, down),
  }));
}

/** Pushes nodes apart that are too close, such as neighbouring cities, in a few rounds. */
function spread(points: readonly Point[], { width, height, margin }: Space): readonly Point[] {
  const least = Math.min(1.6 * margin, Math.sqrt((width * height) / points.length) * 0.5);
  const moved = points.map(({ x, y }) => ({ x, y }));
  for (let round = 0; round < 60; round++) {
    let isDone = true;
    for (const [index, one] of moved.entries()) {
      for (const other of moved.slice(index + 1)) {
        const [dx, dy] = [other.x - one.x, other.y - one.y];
        const distance = Math.hypot(dx, dy);
        if (distance >= least * 0.999) continue;
        isDone = false;
        const push = (least - distance) / 2;
        const [ux, uy] =
          distance === 0 ? [Math.cos(index), Math.sin(index)] : [dx / distance, dy / distance];
        one.x -= ux * push;
        one.y -= uy * push;
        other.x += ux * push;
        other.y += uy * push;
      }
    }
    for (const point of moved) {
      point.x = Math.min(Math.max(point.x, margin), Math.max(margin, width - margin));
      point.y = Math.min(Math.max(point.y, margin), Math.max(margin, height - margin));
    }
    if (isDone) break;
  }
  return moved;
}

function closestOf(points: readonly Point[], alone: number): number {
  let closest = alone;
  for (const [index, one] of points.entries())
    for (const other of points.slice(index + 1))
      closest = Math.min(closest, Math.hypot(one.x - other.x, one.y - other.y));
  return closest;
}
