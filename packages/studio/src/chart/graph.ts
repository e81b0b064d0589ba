/**
 * A statechart as boxes and arrows with their texts, before they have places; and how much room a
 * text takes.
 */
import { actionsText, pathOf, type Reaction, reactions } from '@conclave/core/internal/chart';
import type { AnyStateMachine, AnyStateNode } from 'xstate';

/** A statechart as boxes and edges, without positions: plain data. */
export interface ChartGraph {
  /** Outermost first; the first is the machine itself. */
  readonly boxes: readonly ChartBox[];
  readonly edges: readonly ChartEdge[];
}

export interface ChartBox {
  /**
   * The path of the state, `up.idle`; of the dot before the first state of a compound one,
   * `up initial`.
   */
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
  /** The box around it; the machine has none. */
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
  const visit = (node: AnyStateNode) => {
    boxes.push(boxOf(node));
    const children = Object.values(node.states);
    if (node.type === 'compound') {
      const { target, actions } = node.initial;
      const dot = `${idOf(node)} initial`;
      const said = { title: '', tags: [], rows: [], description: '' };
      boxes.push({ id: dot, kind: 'initial', parent: idOf(node), ...said });
      const does = actionsText(actions);
      for (const first of target)
        connect(dot, idOf(first), does ? textOf('reaction', `/ ${does}`, widestLabel) : undefined);
    }
    for (const child of children) visit(child);
  };
  visit(machine.root);
  const visitEdges = (node: AnyStateNode) => {
    for (const reaction of reactions(node))
      for (const target of reaction.targets)
        if (isDrawn(node, target, reaction))
          connect(idOf(node), idOf(target), reactionText(reaction, '', widestLabel));
    for (const child of Object.values(node.states)) visitEdges(child);
  };
  visitEdges(machine.root);
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

/**
 * Whether a reaction is an edge. One to the same state is a row, unless the state is left and
 * entered again.
 */
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

/**
 * A short text that graphs share exactly if their drawings are the same, but for the unlikely case
 * of equal hashes.
 */
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

/**
 * Widths of the printable ASCII characters, from the space on, in hundredths of the size: Helvetica
 * and the fonts made to its measure.
 */
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
