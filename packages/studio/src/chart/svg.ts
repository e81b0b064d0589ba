/** A statechart as SVG: with the layout that the build has made, or else in rows. */
import type { AnyStateMachine } from 'xstate';
import { memo } from '../base/collections.js';
import { pointText, tenths } from '../base/numbers.js';
import {
  type ChartBox,
  type ChartEdge,
  type ChartGraph,
  type ChartLayout,
  type ChartText,
  dotSize,
  graphOf,
  hangingIndent,
  isFramed,
  keyOf,
  type Layouts,
  labelRoom,
  padding,
  rowHeight,
  rowsLayout,
  tagText,
  titleHeight,
  titleSize,
  widthOf,
} from './graph.js';

/**
 * A statechart as SVG. Boxes have `data-state`, edges and rows `data-keys`: the keys of their
 * transitions, joined by line breaks. Colours are the custom properties of the page; without them,
 * as in a file, those of the space-time diagrams, light or dark as the system is.
 */
export function chartSvg(graph: ChartGraph, layout: ChartLayout, title: string): string {
  const { width, height } = layout;
  const parts = graph.boxes.map((box, index) =>
    boxSvg(box, layout.boxes[index] ?? [], hasInside(graph, box)),
  );
  const lines = graph.edges.map((edge, index) =>
    edgeSvg(edge, index, layout.edges[index] ?? [], layout.labels[index] ?? []),
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="statechart" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<style>${chartStyle}</style>`,
    ...parts,
    ...lines.map(({ path }) => path),
    ...lines.map(({ label }) => label),
    '</svg>\n',
  ].join('\n');
}

const hasInside = ({ boxes }: ChartGraph, { id }: ChartBox): boolean =>
  boxes.some(({ parent }) => parent === id);

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '&#10;',
};
const escaped = (text: string): string =>
  text.replace(/[&<>"\n]/g, (character) => entities[character] ?? character);

function boxSvg(
  box: ChartBox,
  [x = 0, y = 0, width = 0, height = 0]: readonly number[],
  isOuter: boolean,
): string {
  const { id, kind, rows, title } = box;
  const state = `data-state="${escaped(id)}"`;
  if (kind === 'initial')
    return `<circle class="dot" cx="${x + dotSize / 2}" cy="${y + dotSize / 2}" r="${dotSize / 2}"/>`;
  if (kind === 'history')
    return `<g class="state history" ${state}><circle class="frame" cx="${x + 13}" cy="${y + 13}" r="12"/><text class="title" x="${x + 13}" y="${y + 18}" text-anchor="middle">${title}</text></g>`;
  if (!isFramed(box)) return '';
  const frame = `<rect class="frame" x="${x}" y="${y}" width="${width}" height="${height}" rx="8"/>`;
  const inner =
    kind === 'final'
      ? `<rect class="inner" x="${x + 3}" y="${y + 3}" width="${width - 6}" height="${height - 6}" rx="6"/>`
      : '';
  const head = y + titleHeight - 3;
  const tags =
    box.tags.length === 0
      ? ''
      : `<text class="tags" x="${x + padding + widthOf(title, titleSize, true) + 10}" y="${head}">${escaped(tagText(box))}</text>`;
  const rule =
    rows.length > 0 ? `<path class="rule" d="M${x} ${y + titleHeight + 4}h${width}"/>` : '';
  const name = `<text class="title" x="${x + padding}" y="${head}">${escaped(title)}</text>`;
  const texts = textsSvg(rows, x + padding, y + titleHeight + 6);
  return `<g class="state ${kind}${isOuter ? ' outer' : ''}" ${state}>${frame}${inner}${rule}${name}${tags}${texts}</g>`;
}

/** Texts below each other, from the upper left corner. */
function textsSvg(texts: readonly ChartText[], x: number, y: number): string {
  let top = y;
  return texts
    .map(({ kind, lines, keys }) => {
      const spans = lines.map((line, index) => {
        top += rowHeight;
        return `<tspan x="${x + (index > 0 ? hangingIndent : 0)}" y="${top - 4}">${escaped(line)}</tspan>`;
      });
      const marked = keys.length > 0 ? ` data-keys="${escaped(keys.join('\n'))}"` : '';
      return `<text class="row ${kind}"${marked}>${spans.join('')}</text>`;
    })
    .join('');
}

function edgeSvg(
  edge: ChartEdge,
  index: number,
  points: readonly number[],
  [x, y]: readonly number[],
): Record<'path' | 'label', string> {
  const keys = edge.labels.flatMap((label) => label.keys);
  const marked = keys.length > 0 ? ` data-keys="${escaped(keys.join('\n'))}"` : '';
  const path = `<g class="edge" data-edge="${index}"${marked}><path class="line" d="${rounded(points)}"/><path class="tip" d="${tip(points)}"/></g>`;
  if (x === undefined || y === undefined) return { path, label: '' };
  const { width, height } = labelRoom(edge);
  const paper = `<rect class="paper" x="${x}" y="${y}" width="${Math.max(0, width - 2)}" height="${height}" rx="3"/>`;
  return {
    path,
    label: `<g class="label" data-edge="${index}">${paper}${textsSvg(edge.labels, x, y)}</g>`,
  };
}

const corner = 6;
const tipLength = 8;

/** A line along the points with rounded corners, up to where its tip begins. */
function rounded(points: readonly number[]): string {
  const at = (index: number) => [points[2 * index] ?? 0, points[2 * index + 1] ?? 0] as const;
  const last = points.length / 2 - 1;
  if (last < 1) return '';
  let path = `M${at(0).join(' ')}`;
  for (let index = 1; index < last; index++) {
    const [before, here, after] = [at(index - 1), at(index), at(index + 1)];
    const start = towards(here, before, corner);
    path += `L${start.join(' ')}Q${here.join(' ')} ${towards(here, after, corner).join(' ')}`;
  }
  return `${path}L${towards(at(last), at(last - 1), tipLength - 1).join(' ')}`;
}

type Point = readonly [number, number];

/** From one point to another, at most halfway. */
function towards([x, y]: Point, [toX, toY]: Point, distance: number): Point {
  const length = Math.hypot(toX - x, toY - y) || 1;
  const part = Math.min(distance, length / 2) / length;
  return [tenths(x + (toX - x) * part), tenths(y + (toY - y) * part)];
}

function tip(points: readonly number[]): string {
  const [fromX = 0, fromY = 0, x = 0, y = 0] = points.slice(-4);
  const length = Math.hypot(x - fromX, y - fromY) || 1;
  const [ux, uy] = [(x - fromX) / length, (y - fromY) / length];
  const at = (along: number, aside: number) =>
    pointText(x - ux * along - uy * aside, y - uy * along + ux * aside);
  return `M${at(0, 0)}L${at(tipLength, 4)}L${at(tipLength, -4)}Z`;
}

const fallbacks = {
  light: {
    paper: '#ffffff',
    raised: '#ffffff',
    ink: '#1f2933',
    faint: '#616e7c',
    line: '#9aa5b1',
    guide: '#e4e7eb',
    accent: '#3b6fd4',
  },
  dark: {
    paper: '#12171e',
    raised: '#1a2029',
    ink: '#e4e7eb',
    faint: '#8f9bab',
    line: '#616e7c',
    guide: '#252d38',
    accent: '#5f8ff0',
  },
};

const own = (theme: 'light' | 'dark') =>
  `.statechart{${Object.entries(fallbacks[theme])
    .map(([name, colour]) => `--chart-${name}:var(--${name},${colour})`)
    .join(';')}}`;

const fonts =
  'var(--font,ui-sans-serif,-apple-system,"Segoe UI",Roboto,"Helvetica Neue","Liberation Sans",Arial,sans-serif)';

const chartStyle = [
  own('light'),
  `@media (prefers-color-scheme:dark){${own('dark')}}`,
  `.statechart{font-family:${fonts};font-size:11px;background:var(--chart-paper)}`,
  '.statechart text{fill:var(--chart-ink)}',
  '.statechart .title{font-size:13px;font-weight:600}',
  '.statechart .tags,.statechart .ignored,.statechart .entry,.statechart .exit{fill:var(--chart-faint)}',
  '.statechart .frame{fill:var(--chart-raised);stroke:var(--chart-line);stroke-width:1.2}',
  '.statechart .outer>.frame{fill:var(--chart-paper)}',
  '.statechart .region>.frame{stroke-dasharray:5 4}',
  '.statechart .inner{fill:none;stroke:var(--chart-line)}',
  '.statechart .rule{stroke:var(--chart-guide)}',
  '.statechart .dot{fill:var(--chart-ink)}',
  '.statechart .line{fill:none;stroke:var(--chart-faint);stroke-width:1.2}',
  '.statechart .tip{fill:var(--chart-faint)}',
  '.statechart .paper{fill:var(--chart-paper)}',
].join('');

/** A statechart that can be shown. */
export interface Drawn {
  readonly graph: ChartGraph;
  readonly layout: ChartLayout;
  readonly svg: string;
}

const layouts = new Map<string, ChartLayout>();

/** A layout that the build has made, by the key of its graph. */
export const layoutOf = (key: string): ChartLayout | undefined => layouts.get(key);

export function addLayouts(added: Layouts): void {
  for (const [key, layout] of Object.entries(added)) layouts.set(key, layout);
}

/** The drawing of a machine; one that no layout is known of is laid out by rows. */
export const drawnChart = memo((machine: AnyStateMachine, title: string): Drawn => {
  const graph = graphOf(machine);
  const layout = layouts.get(keyOf(graph)) ?? rowsLayout(graph);
  return { graph, layout, svg: chartSvg(graph, layout, title) };
});
