import { pointText, tenths } from '../base/numbers.js';
import type { Shape } from './graph-colours.js';
import type { GraphEdge, StateGraph } from './state-graph.js';
import type { GraphLayout } from './state-graph-layout.js';

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

/**
 * An edge as the `d` of a path: straight if it leads on; bowed if it leads back; a small loop if
 * the world stays the same.
 */
export function edgePath({ x, y }: GraphLayout, from: number, to: number, radius: number): string {
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

/**
 * The edges that lead on, and those that lead back, each as one path. Of several between two worlds
 * one is drawn.
 */
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
