import type { ChartBox, ChartEdge, ChartText } from './graph.js';
import { rowHeight, rowSize, titleSize, widthOf } from './text-size.js';

/** The positions of a graph's parts, in its order and in whole pixels: plain data. */
export interface ChartLayout {
  readonly width: number;
  readonly height: number;
  /** By box: x, y, width, height. */
  readonly boxes: readonly (readonly number[])[];
  /** By edge: x and y of each corner, from the source to the target. */
  readonly edges: readonly (readonly number[])[];
  /** By edge: x and y of its label's upper left corner; empty where it has none. */
  readonly labels: readonly (readonly number[])[];
}

/** Layouts by the key of their graph, see `keyOf`. */
export type Layouts = Readonly<Record<string, ChartLayout>>;

/** Around the text of a box, and between boxes and the one around them. */
export const padding = 10;
/** The diameter of the dot before a first state. */
export const dotSize = 10;
/** Of the title line of a box. */
export const titleHeight = 20;

/** Whether a box is drawn at all: the machine itself only if something is written in it. */
export const isFramed = ({ kind, rows, tags }: ChartBox): boolean =>
  kind !== 'machine' || rows.length > 0 || tags.length > 0;

/**
 * The room that the text of a box takes, with padding around it; a title and rows below each other.
 */
export function textRoom(box: ChartBox): { readonly width: number; readonly height: number } {
  if (box.kind === 'initial') return { width: dotSize, height: dotSize };
  if (box.kind === 'history') return { width: 26, height: 26 };
  if (!isFramed(box)) return { width: 0, height: 0 };
  const title =
    widthOf(box.title, titleSize, true) +
    (box.tags.length > 0 ? 12 + widthOf(tagText(box), rowSize) : 0);
  const lines = box.rows.flatMap(({ lines }) => lines);
  const width = Math.max(
    title,
    ...lines.map((line, index) => widthOf(line, rowSize) + indent(box.rows, index)),
  );
  return {
    width: Math.max(width + 2 * padding, 72),
    height: titleHeight + (lines.length > 0 ? lines.length * rowHeight + 6 : 0) + padding,
  };
}

/** Lines after the first of a row are indented. */
export const continued = 10;
function indent(rows: readonly ChartText[], index: number): number {
  let line = 0;
  for (const { lines } of rows) {
    if (index < line + lines.length) return index === line ? 0 : continued;
    line += lines.length;
  }
  return 0;
}

export const tagText = ({ tags }: ChartBox): string => tags.map((tag) => `«${tag}»`).join(' ');

/** The room that the label of an edge takes. */
export function labelRoom({ labels }: ChartEdge): {
  readonly width: number;
  readonly height: number;
} {
  const lines = labels.flatMap(({ lines }) =>
    lines.map((line, index) => widthOf(line, rowSize) + (index > 0 ? continued : 0)),
  );
  return { width: Math.max(...lines, 0), height: lines.length * rowHeight };
}
