import { memo } from '../base/memo.js';
import type { StateGraph } from './state-graph.js';

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
    const order = ordered(layers, neighbours);
    const y = placed(order, neighbours, worlds.length);
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

function ordered(
  layers: readonly (readonly number[])[],
  { before, after }: Neighbours,
): readonly (readonly number[])[] {
  let current = layers;
  let best = layers;
  let fewest = crossings(layers, after);
  for (let sweep = 0; sweep < sweeps && fewest > 0; sweep++) {
    const isForwards = sweep % 2 === 0;
    current = swept(current, isForwards ? before : after, isForwards);
    const count = crossings(current, after);
    if (count < fewest) [best, fewest] = [current, count];
  }
  return best;
}

/**
 * Each layer ordered by the mean position of the neighbours in the one that was ordered before it;
 * others keep their place.
 */
function swept(
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

/**
 * Heights in the given order: each world is pulled to the mean of its neighbours, and keeps its
 * distance.
 */
function placed(
  layers: readonly (readonly number[])[],
  { before, after }: Neighbours,
  worlds: number,
): Float64Array {
  const y = new Float64Array(worlds);
  for (const layer of layers)
    for (const [place, id] of layer.entries()) y[id] = (place - (layer.length - 1) / 2) * gap;
  const pull = (layer: readonly number[], neighbours: readonly (readonly number[])[]) => {
    const wanted = layer.map((id) => {
      const near = neighbours[id] ?? [];
      return near.length === 0
        ? (y[id] ?? 0)
        : near.reduce((sum, other) => sum + (y[other] ?? 0), 0) / near.length;
    });
    for (const [place, value] of apart(wanted).entries()) y[layer[place] ?? 0] = value;
  };
  for (let round = 0; round < 3; round++) {
    for (const layer of layers) pull(layer, before);
    for (const layer of layers.toReversed()) pull(layer, after);
  }
  return y;
}

/**
 * The values nearest to those wanted (by least squares) that are a gap apart and in the same order:
 * pooled where they would overlap.
 */
export function apart(wanted: readonly number[]): readonly number[] {
  const pools: { sum: number; count: number }[] = [];
  for (const [place, value] of wanted.entries()) {
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
