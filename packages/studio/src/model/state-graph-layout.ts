/**
 * The picture of a state graph: places of worlds in layers by depth, and the paths of SVG that show
 * them.
 */
import { memo } from '../base/collections.js';
import { pointText, tenths } from '../base/numbers.js';
import type { GraphEdge, StateGraph } from './state-graph.js';
import type { Shape } from './state-graph-categories.js';

/** Where the worlds of a graph are drawn: from left to right by depth. */
export interface GraphLayout {
  readonly x: Float64Array;
  readonly y: Float64Array;
  readonly width: number;
  readonly height: number;
  /** By depth: its worlds, from top to bottom. */
  readonly layers: readonly (readonly number[])[];
}

/** The least distance of two worlds of one depth. */
const gap = 18;
/** Of two depths. */
const [leastStep, mostStep] = [48, 220];
/** How much wider than high a picture should be. */
const proportion = 1.9;
/** Orders are improved this often, forwards and backwards; more gains little. */
const sweeps = 8;

/**
 * Lays out a graph in layers by depth, after Sugiyama, Tagawa and Toda (1981): within each layer,
 * worlds are ordered by the mean position of their neighbours in the layer before, then of those in
 * the layer after, and so on; the order with the fewest crossings is kept.
 */
export const layoutOf = memo(
  ({ worlds, edges }: Pick<StateGraph, 'worlds' | 'edges'>): GraphLayout => {
    const layers: number[][] = [];
    for (const [id, { depth }] of worlds.entries()) {
      layers[depth] ??= [];
      layers[depth].push(id);
    }
    const neighbours = neighboursOf(worlds, edges);
    const order = bestOrder(layers, neighbours);
    const y = heightsOf(order, neighbours, worlds.length);
    const top = y.reduce((least, value) => Math.min(least, value), 0);
    const height = y.reduce((most, value) => Math.max(most, value), 0) - top;
    const step = Math.min(
      mostStep,
      Math.max(leastStep, (height * proportion) / Math.max(1, order.length - 1)),
    );
    return {
      x: Float64Array.from(worlds, ({ depth }) => depth * step),
      y: y.map((value) => value - top),
      width: (order.length - 1) * step,
      height,
      layers: order,
    };
  },
);

/** By world: its neighbours one layer before, and one layer after. */
interface Neighbours {
  readonly before: readonly (readonly number[])[];
  readonly after: readonly (readonly number[])[];
}

function neighboursOf(worlds: StateGraph['worlds'], edges: StateGraph['edges']): Neighbours {
  const before: number[][] = worlds.map(() => []);
  const after: number[][] = worlds.map(() => []);
  for (const { from, to } of edges) {
    // it returns, or stays in its layer
    if ((worlds[from]?.depth ?? 0) + 1 !== worlds[to]?.depth) continue;
    after[from]?.push(to);
    before[to]?.push(from);
  }
  return { before, after };
}

/** The order of each layer in which the fewest edges cross. */
function bestOrder(
  layers: readonly (readonly number[])[],
  { before, after }: Neighbours,
): readonly (readonly number[])[] {
  let current = layers;
  let best = layers;
  let fewest = crossings(layers, after);
  for (let sweep = 0; sweep < sweeps && fewest > 0; sweep++) {
    const isForwards = sweep % 2 === 0;
    current = sweptOnce(current, isForwards ? before : after, isForwards);
    const count = crossings(current, after);
    if (count < fewest) [best, fewest] = [current, count];
  }
  return best;
}

/** Each layer ordered by the mean position of its neighbours in the layer before. */
function sweptOnce(
  layers: readonly (readonly number[])[],
  neighbours: readonly (readonly number[])[],
  isForwards: boolean,
): readonly (readonly number[])[] {
  const position = new Map<number, number>();
  const result: (readonly number[])[] = [...layers];
  const indices = [...layers.keys()];
  for (const index of isForwards ? indices : indices.reverse()) {
    const layer = layers[index] ?? [];
    const keys = new Map(
      layer.map(
        (id, place) => [id, mean(neighbours[id] ?? [], position, layer.length) ?? place] as const,
      ),
    );
    // stable
    const sorted = [...layer].sort((one, other) => (keys.get(one) ?? 0) - (keys.get(other) ?? 0));
    for (const [place, id] of sorted.entries())
      position.set(id, sorted.length > 1 ? place / (sorted.length - 1) : 0.5);
    result[index] = sorted;
  }
  return result;
}

/** In places of a layer with `length` worlds. */
function mean(
  ids: readonly number[],
  position: ReadonlyMap<number, number>,
  length: number,
): number | undefined {
  let [sum, count] = [0, 0];
  for (const id of ids) {
    const at = position.get(id);
    if (at === undefined) continue;
    sum += at;
    count++;
  }
  return count === 0 ? undefined : (sum / count) * (length - 1);
}

/** How many pairs of edges between neighbouring layers cross. */
export function crossings(
  layers: readonly (readonly number[])[],
  after: readonly (readonly number[])[],
): number {
  let count = 0;
  for (const [index, layer] of layers.entries()) {
    const next = layers[index + 1] ?? [];
    const places = new Map(next.map((id, place) => [id, place] as const));
    const ends = new Places(next.length);
    for (const id of layer) {
      const targets = (after[id] ?? []).map((to) => places.get(to) ?? 0);
      for (const target of targets) count += ends.below(target);
      for (const target of targets) ends.add(target);
    }
  }
  return count;
}

/** Places of a layer, counted by a tree of partial sums (Fenwick 1994). */
class Places {
  readonly #sums: Int32Array;
  #count = 0;

  constructor(length: number) {
    this.#sums = new Int32Array(length + 1);
  }

  add(place: number): void {
    this.#count++;
    for (let at = place + 1; at < this.#sums.length; at += at & -at)
      this.#sums[at] = (this.#sums[at] ?? 0) + 1;
  }

  /** How many of those added are below `place`. */
  below(place: number): number {
    let others = 0;
    for (let at = place + 1; at > 0; at -= at & -at) others += this.#sums[at] ?? 0;
    return this.#count - others;
  }
}

/** Heights in this order: each world is pulled to the mean of its neighbours. */
function heightsOf(
  layers: readonly (readonly number[])[],
  { before, after }: Neighbours,
  worlds: number,
): Float64Array {
  const y = new Float64Array(worlds);
  for (const layer of layers)
    for (const [place, id] of layer.entries()) y[id] = (place - (layer.length - 1) / 2) * gap;
  const pull = (layer: readonly number[], neighbours: readonly (readonly number[])[]) => {
    const ideal = layer.map((id) => {
      const near = neighbours[id] ?? [];
      return near.length === 0
        ? (y[id] ?? 0)
        : near.reduce((sum, other) => sum + (y[other] ?? 0), 0) / near.length;
    });
    for (const [place, value] of apart(ideal).entries()) y[layer[place] ?? 0] = value;
  };
  for (let round = 0; round < 3; round++) {
    for (const layer of layers) pull(layer, before);
    for (const layer of layers.toReversed()) pull(layer, after);
  }
  return y;
}

/** The nearest values (least squares), in their order and a gap apart: pooled where they overlap. */
export function apart(ideal: readonly number[]): readonly number[] {
  const pools: { sum: number; count: number }[] = [];
  for (const [place, value] of ideal.entries()) {
    pools.push({ sum: value - place * gap, count: 1 });
    for (;;) {
      const [last, previous] = [pools.at(-1), pools.at(-2)];
      if (!last || !previous || previous.sum / previous.count <= last.sum / last.count) break;
      previous.sum += last.sum;
      previous.count += last.count;
      pools.pop();
    }
  }
  return pools
    .flatMap(({ sum, count }) => Array.from({ length: count }, () => sum / count))
    .map((value, place) => value + place * gap);
}

/** One world as the `d` of a path. */
export function markPath(shape: Shape | 'cross', x: number, y: number, radius: number): string {
  const at = (dx: number, dy: number) => pointText(x + dx * radius, y + dy * radius);
  if (shape === 'square')
    return `M${at(-0.85, -0.85)}L${at(0.85, -0.85)}L${at(0.85, 0.85)}L${at(-0.85, 0.85)}z`;
  if (shape === 'diamond') return `M${at(0, -1.2)}L${at(1.2, 0)}L${at(0, 1.2)}L${at(-1.2, 0)}z`;
  if (shape === 'cross') return `M${at(-1, -1)}L${at(1, 1)}M${at(1, -1)}L${at(-1, 1)}`;
  if (shape === 'triangle') return `M${at(0, -1.15)}L${at(1.1, 0.85)}L${at(-1.1, 0.85)}z`;
  const arc = `a${pointText(radius, radius)} 0 1 0`;
  return `M${at(-1, 0)}${arc} ${tenths(2 * radius)} 0${arc} ${tenths(-2 * radius)} 0z`;
}

/** Many worlds as one path: drawn at once, however many they are. */
export const marksPath = (
  shape: Shape | 'cross',
  worlds: readonly number[],
  { x, y }: GraphLayout,
  radius: number,
): string => worlds.map((id) => markPath(shape, x[id] ?? 0, y[id] ?? 0, radius)).join('');

/** Whether an edge leads to a world that is as near to the beginning, or nearer. */
export const leadsBack = (
  { worlds }: Pick<StateGraph, 'worlds'>,
  { from, to }: Pick<GraphEdge, 'from' | 'to'>,
): boolean => (worlds[to]?.depth ?? 0) <= (worlds[from]?.depth ?? 0);

/** The `d` of an edge: straight if it leads on, bowed if it leads back, or a small loop. */
function edgePath({ x, y }: GraphLayout, from: number, to: number, radius: number): string {
  const [x1, y1, x2, y2] = [x[from] ?? 0, y[from] ?? 0, x[to] ?? 0, y[to] ?? 0];
  const [start, end] = [pointText(x1, y1), pointText(x2, y2)];
  if (from === to) {
    const reach = 3.2 * radius;
    const [left, right] = [x1 - reach, x1 + reach].map((x) => pointText(x, y1 - reach));
    return `M${start}C${left} ${right} ${start}`;
  }
  if (x2 > x1) return `M${start}L${end}`;
  const bow = Math.min(140, 14 + 0.28 * Math.hypot(x2 - x1, y2 - y1));
  const [middleX, middleY] = [(x1 + x2) / 2, (y1 + y2) / 2];
  const control = x2 === x1 ? pointText(middleX + bow, middleY) : pointText(middleX, middleY - bow);
  return `M${start}Q${control} ${end}`;
}

/** The edges that lead on, and back, each as one path; of several between two worlds one. */
export function edgePaths(
  graph: Pick<StateGraph, 'worlds' | 'edges'>,
  layout: GraphLayout,
  radius: number,
): { readonly on: string; readonly back: string } {
  const drawn = new Set<number>();
  const [on, back]: [string[], string[]] = [[], []];
  for (const edge of graph.edges) {
    const key = edge.from * graph.worlds.length + edge.to;
    if (drawn.has(key)) continue;
    drawn.add(key);
    (leadsBack(graph, edge) ? back : on).push(edgePath(layout, edge.from, edge.to, radius));
  }
  return { on: on.join(''), back: back.join('') };
}

/** The way through these worlds, one after the other, as one path. */
export const wayPath = (layout: GraphLayout, worlds: readonly number[], radius: number): string =>
  worlds
    .slice(1)
    .map((to, index) => edgePath(layout, worlds[index] ?? 0, to, radius))
    .join('');

/** The world nearest to a point, within `reach`. */
export function nearestWorld(
  { x, y, layers, width }: GraphLayout,
  px: number,
  py: number,
  reach: number,
): number | undefined {
  const step = layers.length > 1 ? width / (layers.length - 1) : 1;
  const first = Math.max(0, Math.ceil((px - reach) / step));
  const last = Math.min(layers.length - 1, Math.floor((px + reach) / step));
  let [nearest, least]: [number | undefined, number] = [undefined, reach];
  for (let depth = first; depth <= last; depth++)
    for (const id of layers[depth] ?? []) {
      const distance = Math.hypot((x[id] ?? 0) - px, (y[id] ?? 0) - py);
      if (distance <= least) [nearest, least] = [id, distance];
    }
  return nearest;
}

/** The nearest world one action further; the first that an action leads to, if none is deeper. */
export function onward(
  { worlds, edges }: Pick<StateGraph, 'worlds' | 'edges'>,
  { y }: GraphLayout,
  at: number,
): number | undefined {
  const targets = edges.flatMap(({ from, to }) => (from === at && to !== at ? [to] : []));
  const deeper = targets.filter((to) => !leadsBack({ worlds }, { from: at, to }));
  const distance = (to: number) => Math.abs((y[to] ?? 0) - (y[at] ?? 0));
  return deeper.sort((one, other) => distance(one) - distance(other))[0] ?? targets[0];
}
