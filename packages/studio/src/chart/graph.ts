/**
 * A statechart as boxes and arrows with their texts; where they are, as plain data that the page can
 * hold; and a layout in rows for charts that the build did not lay out, such as those that a user
 * writes. What a text takes is measured by the widths of Helvetica, so that Node and pages agree.
 */
import { stateNodes } from '@conclave/core/internal';
import { actionsText, pathOf, type Reaction, reactions } from '@conclave/core/internal/chart';
import type { AnyStateMachine, AnyStateNode } from 'xstate';

/** A statechart as boxes and edges, without positions: plain data. */
export interface ChartGraph {
  /** Outermost first; the first is the machine itself. */
  readonly boxes: readonly ChartBox[];
  readonly edges: readonly ChartEdge[];
}

export interface ChartBox {
  /** The path of the state, `up.idle`; of the dot before the first state in one, `up initial`. */
  readonly id: string;
  readonly title: string;
  readonly kind:
    | 'machine'
    | 'atomic'
    | 'compound'
    | 'parallel'
    | 'region'
    | 'final'
    | 'history'
    | 'initial';
  readonly parent?: string;
  readonly tags: readonly string[];
  /** What it does while it stays. */
  readonly rows: readonly ChartText[];
  readonly description: string;
}

/** One thing that is said of a state or an edge. */
export interface ChartText {
  readonly kind: 'entry' | 'exit' | 'reaction' | 'ignored';
  readonly lines: readonly string[];
  /** The keys of its transitions, see `transitionsOf`. */
  readonly keys: readonly string[];
  readonly description: string;
}

/** All transitions from one state to another. */
export interface ChartEdge {
  readonly from: string;
  readonly to: string;
  readonly labels: readonly ChartText[];
}

/** Texts are broken at this width, in pixels. */
const widestRow = 210;
const widestLabel = 140;

/** The boxes and edges of a statechart, in the order of its config. */
export function graphOf(machine: AnyStateMachine): ChartGraph {
  const boxes: ChartBox[] = [];
  const edges = new Map<string, ChartEdge & { readonly labels: ChartText[] }>();
  const connect = (from: string, to: string, label?: ChartText) => {
    const edge = edges.get(`${from} ${to}`) ?? { from, to, labels: [] };
    edges.set(`${from} ${to}`, edge);
    if (label) edge.labels.push(label);
  };
  const nodes = stateNodes(machine);
  for (const node of nodes) {
    boxes.push(boxOf(node));
    if (node.type !== 'compound') continue;
    const { target, actions } = node.initial;
    const dot = `${idOf(node)} initial`;
    const empty = { title: '', tags: [], rows: [], description: '' };
    boxes.push({ id: dot, kind: 'initial', parent: idOf(node), ...empty });
    const does = actionsText(actions);
    for (const first of target)
      connect(dot, idOf(first), does ? textOf('reaction', `/ ${does}`, widestLabel) : undefined);
  }
  for (const node of nodes)
    for (const reaction of reactions(node))
      for (const target of reaction.targets)
        if (isDrawn(node, target, reaction))
          connect(idOf(node), idOf(target), reactionText(reaction, '', widestLabel));
  return { boxes, edges: [...edges.values()] };
}

/** The path of a state without the machine, `client.wanted`: the id of its box. */
export const idOf = ({ path }: AnyStateNode): string => path.join('.');

function boxOf(node: AnyStateNode): ChartBox {
  const { parent, key, type, tags, description = '' } = node;
  return {
    id: idOf(node),
    title: type === 'history' ? (node.history === 'deep' ? 'H*' : 'H') : key,
    kind: parent ? (parent.type === 'parallel' ? 'region' : type) : 'machine',
    ...(parent && { parent: idOf(parent) }),
    tags: [...tags],
    rows: rowsOf(node),
    description,
  };
}

/** Entry and exit, reactions by which a state stays, events that it ignores. */
function rowsOf(node: AnyStateNode): readonly ChartText[] {
  const rows: ChartText[] = [];
  const ignored: Reaction[] = [];
  for (const boundary of ['entry', 'exit'] as const) {
    // not node.entry: XState adds its timers there
    const actions = actionsText(node.config[boundary]);
    if (actions) rows.push(textOf(boundary, `${boundary} / ${actions}`, widestRow));
  }
  for (const reaction of reactions(node)) {
    const { actions, targets } = reaction;
    if (targets.length === 0 && !actions) ignored.push(reaction);
    else if (targets.length === 0) rows.push(reactionText(reaction, '', widestRow));
    else if (targets.some((target) => !isDrawn(node, target, reaction)))
      rows.push(reactionText(reaction, ` → ${targets.map(pathOf).join(', ')}`, widestRow));
  }
  if (ignored.length === 0) return rows;
  const keys = ignored.map(({ key }) => key);
  // many are folded: which ones, a page shows where the pointer rests
  const text =
    ignored.length > 2
      ? `ignores ${ignored.length} events`
      : `ignores ${ignored.map(({ trigger }) => trigger).join(', ')}`;
  return [...rows, textOf('ignored', text, widestRow, keys)];
}

/** Whether a reaction is an edge; one to the same state only if it is entered again. */
const isDrawn = (source: AnyStateNode, target: AnyStateNode, { reenter }: Reaction): boolean =>
  source === target ? reenter : target.parent !== undefined && source.parent !== undefined;

function reactionText(reaction: Reaction, behind: string, widest: number): ChartText {
  const { trigger, actions, key, description } = reaction;
  const text = `${trigger}${actions ? ` / ${actions}` : ''}${behind}`;
  return textOf('reaction', text, widest, [key], description);
}

const textOf = (
  kind: ChartText['kind'],
  text: string,
  widest: number,
  keys: readonly string[] = [],
  description = '',
): ChartText => ({ kind, lines: wrapped(text, rowSize, widest), keys, description });

/** A hash of all that a drawing of the graph shows. */
export function keyOf(graph: ChartGraph): string {
  const linesOf = (texts: readonly ChartText[]) => texts.map(({ lines }) => lines);
  const text = JSON.stringify([
    graph.boxes.map((box) => [
      ...[box.id, box.title, box.kind, box.parent, box.tags],
      linesOf(box.rows),
    ]),
    graph.edges.map(({ from, to, labels }) => [from, to, linesOf(labels)]),
  ]);
  let [high, low] = [0x9dc5811c, 0x811c9dc5];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    low = Math.imul(low ^ code, 0x01000193);
    high = Math.imul(high ^ code, 0x5bd1e995) ^ (low >>> 13);
  }
  return (high >>> 0).toString(36) + (low >>> 0).toString(36);
}

/** Sizes of type in the drawing of a statechart, in pixels. */
export const titleSize = 13;
export const rowSize = 11;
export const rowHeight = 15;

/** Widths of ASCII from the space on, in hundredths of the size: Helvetica and its like. */
const widths = [
  28, 28, 35, 56, 56, 89, 67, 19, 33, 33, 39, 58, 28, 33, 28, 28, 56, 56, 56, 56, 56, 56, 56, 56,
  56, 56, 28, 28, 58, 58, 58, 56, 102, 67, 67, 72, 72, 67, 61, 78, 72, 28, 50, 67, 56, 83, 72, 78,
  67, 78, 72, 67, 61, 72, 67, 94, 67, 67, 61, 28, 28, 28, 47, 56, 33, 56, 56, 50, 56, 56, 28, 56,
  56, 22, 22, 50, 22, 83, 56, 56, 56, 56, 33, 50, 28, 56, 50, 72, 50, 50, 50, 33, 26, 33, 58,
];
/** Other sans-serif fonts are up to this much wider. */
const margin = 1.08;

/** How much room a text takes, in pixels: rounded up, and enough for the usual sans-serif fonts. */
export function widthOf(text: string, size: number, bold = false): number {
  let sum = 0;
  for (const character of text) sum += widths[character.charCodeAt(0) - 32] ?? 100;
  return Math.ceil((sum * size * margin * (bold ? 1.06 : 1)) / 100);
}

/** Breaks a text at spaces where it would be wider than `limit` pixels. */
function wrapped(text: string, size: number, limit: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && widthOf(longer, size) > limit) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return line === '' ? lines : [...lines, line];
}

// Where its boxes and arrows are.

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

/** The room that the title and the rows of a box take, with padding around them. */
export function textRoom(box: ChartBox): { readonly width: number; readonly height: number } {
  if (box.kind === 'initial') return { width: dotSize, height: dotSize };
  if (box.kind === 'history') return { width: 26, height: 26 };
  if (!isFramed(box)) return { width: 0, height: 0 };
  const title =
    widthOf(box.title, titleSize, true) +
    (box.tags.length > 0 ? 12 + widthOf(tagText(box), rowSize) : 0);
  const lines = lineWidths(box.rows);
  const width = Math.max(title, ...lines);
  return {
    width: Math.max(width + 2 * padding, 72),
    height: titleHeight + (lines.length > 0 ? lines.length * rowHeight + 6 : 0) + padding,
  };
}

/** Lines after the first of a text are indented. */
export const hangingIndent = 10;
const lineWidths = (texts: readonly ChartText[]): readonly number[] =>
  texts.flatMap(({ lines }) =>
    lines.map((line, index) => widthOf(line, rowSize) + (index > 0 ? hangingIndent : 0)),
  );

export const tagText = ({ tags }: ChartBox): string => tags.map((tag) => `«${tag}»`).join(' ');

/** The room that the label of an edge takes. */
export function labelRoom({ labels }: ChartEdge): {
  readonly width: number;
  readonly height: number;
} {
  const lines = lineWidths(labels);
  return { width: Math.max(...lines, 0), height: lines.length * rowHeight };
}

const gap = { across: 60, down: 70 };

/** A box with what is in it, before it has a place on the page. */
interface Block {
  readonly box: ChartBox;
  width: number;
  height: number;
  readonly inner: readonly { readonly block: Block; readonly x: number; readonly y: number }[];
}

/**
 * Lays a graph out without a library: in each state the states inside by rows, as far from the
 * first one as steps are needed to reach them; regions below each other; edges straight from border
 * to border. For charts that were not known when the page was built.
 */
export function rowsLayout(graph: ChartGraph): ChartLayout {
  const [root] = graph.boxes;
  if (!root) return { width: 0, height: 0, boxes: [], edges: [], labels: [] };
  const whole = blockOf(graph, root);
  const places = new Map<string, readonly [number, number, number, number]>();
  const put = ({ box, width, height, inner }: Block, x: number, y: number) => {
    places.set(box.id, [x, y, width, height]);
    for (const one of inner) put(one.block, x + one.x, y + one.y);
  };
  put(whole, 4, 4);
  const boxes = graph.boxes.map(({ id }) => places.get(id) ?? [0, 0, 0, 0]);
  const hasReturn = graph.edges.map(
    ({ from, to }) =>
      from !== to && graph.edges.some((other) => other.from === to && other.to === from),
  );
  const placeOf = (id: string): Box => places.get(id) ?? [0, 0, 0, 0];
  /** Where the next edge goes that would go through other states. */
  let free = whole.width + 4;
  const edges = graph.edges.map((edge, index) => {
    const [from, to] = [placeOf(edge.from), placeOf(edge.to)];
    const straight = aside(line(from, to), hasReturn[index] ? 8 : 0);
    const others = graph.boxes.filter(
      ({ id }) => !isRelated(id, edge.from) && !isRelated(id, edge.to),
    );
    if (!others.some(({ id }) => crosses(straight, placeOf(id)))) return straight;
    const half = labelRoom(edge).width / 2 + 12;
    free += 2 * half;
    return around(from, to, free - half);
  });
  const labels = graph.edges.map((edge, index) => {
    if (edge.labels.length === 0) return [];
    const points = edges[index] ?? [];
    const isAround = points.length > 4 && edge.from !== edge.to;
    const [x0 = 0, y0 = 0, x1 = 0, y1 = 0] = isAround
      ? points.slice(2, 6)
      : [...points.slice(0, 2), ...points.slice(-2)];
    const { width, height } = labelRoom(edge);
    const part = hasReturn[index] && !isAround ? 0.3 : 0.5; // not on that of the edge back
    return [
      Math.round(x0 + (x1 - x0) * part - width / 2),
      Math.round(y0 + (y1 - y0) * part - height / 2),
    ];
  });
  const right = labels.map(
    ([x = 0], index) => x + labelRoom(graph.edges[index] ?? { from: '', to: '', labels: [] }).width,
  );
  return {
    width: Math.max(free + 4, ...right.map((x) => x + 4)),
    height: whole.height + 8,
    boxes,
    edges,
    labels,
  };
}

function blockOf(graph: ChartGraph, box: ChartBox): Block {
  const own = textRoom(box);
  const children = graph.boxes
    .filter(({ parent }) => parent === box.id)
    .map((child) => blockOf(graph, child));
  if (children.length === 0) return { box, ...own, inner: [] };
  const depths = depthsOf(graph, children);
  const rows = [...new Set(depths)]
    .sort((a, b) => a - b)
    .map((depth) => children.filter((_, index) => depths[index] === depth));
  const side = isFramed(box) ? padding + 4 : 0;
  const inner: { block: Block; x: number; y: number }[] = [];
  let [y, width] = [own.height + padding, own.width];
  for (const row of rows) {
    let x = side;
    for (const block of row) {
      inner.push({ block, x, y });
      x += block.width + gap.across;
    }
    width = Math.max(width, x - gap.across + side);
    y += Math.max(...row.map(({ height }) => height)) + gap.down;
  }
  return { box, width, height: y - gap.down + side, inner };
}

/** How many edges each child is away from the first one; regions below each other. */
function depthsOf(graph: ChartGraph, children: readonly Block[]): readonly number[] {
  const ids = children.map(({ box }) => box.id);
  if (children.some(({ box }) => box.kind === 'region')) return ids.map((_, index) => index);
  const within = (id: string) =>
    ids.findIndex((child) => id === child || (child !== '' && id.startsWith(`${child}.`)));
  const depths = ids.map((_, index) => (index === 0 ? 0 : Infinity));
  for (let changed = true; changed; ) {
    changed = false;
    for (const { from, to } of graph.edges) {
      const [source, target] = [within(from), within(to)];
      const depth = (depths[source] ?? Infinity) + 1;
      if (source < 0 || target < 0 || source === target || !(depth < (depths[target] ?? 0)))
        continue;
      depths[target] = depth;
      changed = true;
    }
  }
  const last = Math.max(...depths.filter(Number.isFinite));
  return depths.map((depth) => (Number.isFinite(depth) ? depth : last + 1));
}

type Box = readonly [x: number, y: number, width: number, height: number];

/** From border to border; to itself, a bow at its right side. */
function line(from: Box, to: Box): readonly number[] {
  const [x, y, width, height] = from;
  if (from === to || same(from, to)) {
    const [right, middle] = [x + width, y + height / 2];
    return [
      right,
      middle - 8,
      right + 24,
      middle - 8,
      right + 24,
      middle + 8,
      right,
      middle + 8,
    ].map(Math.round);
  }
  return [...border(from, centre(to)), ...border(to, centre(from))].map(Math.round);
}

/** A straight edge, so far to the right of its way. */
function aside(points: readonly number[], by: number): readonly number[] {
  const [x0 = 0, y0 = 0, x1 = 0, y1 = 0] = points;
  const length = Math.hypot(x1 - x0, y1 - y0) || 1;
  const [dx, dy] = [((y0 - y1) / length) * by, ((x1 - x0) / length) * by];
  return points.map((value, index) => Math.round(value + (index % 2 === 0 ? dx : dy)));
}

/** Whether one state is in the other. */
const isRelated = (one: string, other: string): boolean =>
  one === other ||
  one === '' ||
  other === '' ||
  one.startsWith(`${other}.`) ||
  other.startsWith(`${one}.`);

/** Whether a straight edge goes through a box: looked at every few pixels. */
function crosses([x0 = 0, y0 = 0, x1 = 0, y1 = 0]: readonly number[], [x, y, w, h]: Box): boolean {
  const steps = Math.ceil(Math.hypot(x1 - x0, y1 - y0) / 4);
  return Array.from({ length: steps }, (_, step) => step / steps).some((part) => {
    const [px, py] = [x0 + (x1 - x0) * part, y0 + (y1 - y0) * part];
    return px > x && px < x + w && py > y && py < y + h;
  });
}

/** From the right side of a box to that of another, by way of `x`. */
function around([fx, fy, fw, fh]: Box, [tx, ty, tw, th]: Box, x: number): readonly number[] {
  const [leaves, arrives] = [fy + fh * 0.7, ty + th * 0.3];
  return [fx + fw, leaves, x, leaves, x, arrives, tx + tw, arrives].map(Math.round);
}

const same = (one: Box, other: Box): boolean => one.every((value, index) => value === other[index]);
const centre = ([x, y, width, height]: Box) => [x + width / 2, y + height / 2] as const;

/** Where the way from the middle of a box to a point leaves it. */
function border(box: Box, [toX, toY]: readonly [number, number]): readonly [number, number] {
  const [x, y] = centre(box);
  const [dx, dy] = [toX - x, toY - y];
  const part = Math.min(
    dx === 0 ? Infinity : box[2] / 2 / Math.abs(dx),
    dy === 0 ? Infinity : box[3] / 2 / Math.abs(dy),
  );
  return Number.isFinite(part) ? [x + dx * part, y + dy * part] : [x, y];
}
