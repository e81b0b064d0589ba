import { type ChartLayout, isFramed, labelRoom, padding, textRoom } from './chart-layout.js';
import type { ChartBox, ChartGraph } from './graph.js';

const gap = 48;

/** A plain layout, without elkjs: boxes below each other in the order of the chart, labels beside them, edges along the right side. */
export function fallbackLayout(graph: ChartGraph): ChartLayout {
  const places = new Map<string, readonly number[]>();
  const place = (box: ChartBox, x: number, y: number): number => {
    const room = textRoom(box);
    let [width, bottom] = [room.width, y + room.height];
    for (const inner of graph.boxes.filter(({ parent }) => parent === box.id)) {
      bottom = place(inner, x + padding + 4, bottom + (inner.kind === 'initial' ? 8 : 24));
      const [innerX = 0, , innerWidth = 0] = places.get(inner.id) ?? [];
      width = Math.max(width, innerX + innerWidth - x + padding + 4);
    }
    const height = bottom - y + (graph.boxes.some(({ parent }) => parent === box.id) ? padding : 0);
    places.set(box.id, [x, y, width, height]);
    return y + height;
  };
  const [root] = graph.boxes;
  const bottom = root ? place(root, isFramed(root) ? 4 : 0, 4) : 0;
  const right = Math.max(0, ...[...places.values()].map(([x = 0, , width = 0]) => x + width));
  let lane = right + gap;
  let [width, height, free] = [right, bottom, 0];
  const edges: number[][] = [];
  const labels: number[][] = [];
  for (const edge of graph.edges) {
    const [fromX = 0, fromY = 0, fromWidth = 0, fromHeight = 0] = places.get(edge.from) ?? [];
    const [toX = 0, toY = 0, toWidth = 0, toHeight = 0] = places.get(edge.to) ?? [];
    if (edge.from.endsWith(' initial')) {
      const x = fromX + fromWidth / 2;
      edges.push([x, fromY + fromHeight, x, toY]);
      labels.push(edge.labels.length > 0 ? [x + 8, fromY] : []);
      continue;
    }
    const [start, end] = [fromY + Math.min(fromHeight - 6, 24), toY + Math.min(toHeight - 6, 14)];
    edges.push([fromX + fromWidth, start, lane, start, lane, end, toX + toWidth, end].map(Math.round));
    const room = labelRoom(edge);
    const y = Math.max(free, Math.min(start, end) + Math.abs(end - start) / 2 - room.height / 2);
    free = y + room.height + 6;
    labels.push(room.height > 0 ? [lane + 5, Math.round(y)] : []);
    width = Math.max(width, lane + room.width + padding);
    height = Math.max(height, free);
    lane += 14;
  }
  const boxes = graph.boxes.map(({ id }) => [...(places.get(id) ?? [])].map(Math.round));
  return { width: Math.ceil(width + 4), height: Math.ceil(height + 4), boxes, edges, labels };
}
