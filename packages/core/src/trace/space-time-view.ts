import type { NodeId } from '../protocol/node.js';
import { endOf, placeLabels, placeMarks } from './label-placement.js';
import {
  bar,
  escaped,
  fixed,
  mark,
  message,
  messageLabel,
  messageText,
  Palette,
  shortDistances,
  timeAxis,
} from './space-time.js';
import { type Arrow, layOut, shortened, textWidth } from './space-time-layout.js';
import { eventText, statesText, type Trace, type TraceLine } from './trace.js';

/** A part of a run as a picture in a page, and where its parts are. */
export interface SpaceTimeView {
  /**
   * Steps have `data-line`, messages `data-arrow`, an index of `arrows`; both can have the focus.
   * The texts are escaped.
   */
  readonly svg: string;
  readonly width: number;
  readonly height: number;
  /** The names of the nodes are for the page to write. */
  readonly lanes: readonly { readonly id: NodeId; readonly y: number }[];
  readonly arrows: readonly Arrow[];
  /** Where what is after this many lines begins. */
  edge(lines: number): number;
}

/** What is drawn of a run, and how. */
interface ViewOptions {
  /** The class of a state, and of a message. */
  readonly looks: { state(text: string): string; message(type: string): string };
  /** The lines to draw: the first, and the one after the last. */
  readonly from: number;
  readonly to: number;
  /**
   * How high the place of the drawing is, in pixels; lanes share it, as far as they can be read.
   */
  readonly height: number;
  /** More messages than this are drawn without their texts, which take long to place. */
  readonly mostLabels: number;
  /** The line from which the run repeats; `ended`: after the last line nothing more happens. */
  readonly repeats?: number | 'ended' | undefined;
  /** Why a node cannot take the step after the last line. */
  readonly fault?: { readonly node: NodeId; readonly text: string } | undefined;
}

const closest = 34;
const farthest = 110;
const column = 54;
const left = 6;

/**
 * A part of a trace as a space-time diagram for a page: without title, names and legend, in the
 * colours of `pageStyle`. Each line has a column of its own. Messages sent before the first line
 * come from the left edge, those that arrive after the last go to the right edge.
 *
 * @throws {ConclaveError} `bad-trace` when a message arrives that was not sent.
 */
export function spaceTimeView(
  trace: Trace,
  { from, to, height: given, looks, mostLabels, repeats, fault }: ViewOptions,
): SpaceTimeView {
  const nodes = trace.header.get('nodes')?.split(' ').length ?? 1;
  const timed = trace.lines.some(({ time }) => time !== undefined);
  const below = 32 + (timed ? 8 : 0) + (repeats === undefined ? 0 : 24);
  const top = 30;
  const distance = Math.min(
    Math.max(Math.floor((given - top - below - 2) / Math.max(nodes - 1, 1)), closest),
    farthest,
  );
  const room = fault ? 44 + textWidth(shortened(fault.text)) : 28;
  const layout = layOut(trace, { from, to, top, left, distance, column, room });
  const { lanes, arrows, stretches, steps, xOf } = layout;
  const right = Math.max(layout.right, layout.left + 140); // room for what is said below it
  const bottom = lanes.at(-1)?.y ?? top;
  const height = bottom + below;
  const palette = Palette.ofPage(layout, looks);
  const marks = placeMarks(layout);
  const isCrowded = arrows.filter(({ fate }) => fate === 'pending').length > mostPending;
  const labels = arrows.length > mostLabels ? [] : placeLabels(layout, marks);
  const width = Math.ceil(Math.max(right, endOf(labels)) + 8);
  const distances = distance < 64 ? shortDistances : undefined;
  const svg = [
    `<svg class="space-time" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    ...timeAxis(layout, bottom + 18),
    ...lanes.map(({ y }) => `<path class="lane" d="M0 ${fixed(y)}H${fixed(right)}"/>`),
    ...stretches.flatMap((stretch) => bar(stretch, palette, layout.left)),
    ...arrows.map((arrow, index) => arrowOf(arrow, index, palette, isCrowded)),
    ...marks.map((placed) => mark(placed, distances)),
    ...arrows.map((arrow, index) => messageLabel(labels[index], palette.message(arrow.call))),
    ...steps.map(({ x, y, line }) => step(x, y, line, stepText(trace.lines[line]))),
    ...(fault
      ? faultMark(
          xOf(to - 1) + 34,
          lanes.find(({ id }) => id === fault.node)?.y ?? top,
          trace.lines.length,
          fault.text,
        )
      : []),
    ...repetition(repeats, {
      from,
      right,
      y: bottom + (timed ? 46 : 38),
      top: (lanes[0]?.y ?? 0) - 10,
      xOf,
    }),
    `<rect class="later" y="0" height="${height}"/><path class="edge"/>`,
    '</svg>',
  ].join('');
  const edge = (lines: number): number =>
    lines <= from
      ? left + 4
      : lines >= trace.lines.length
        ? width
        : Math.min(xOf(lines - 1) + 9, width);
  return { svg, width, height, lanes, arrows, edge };
}

/**
 * More messages on their way than these would cover the picture: then only their beginnings are
 * drawn.
 */
const mostPending = 40;

function arrowOf(arrow: Arrow, index: number, palette: Palette, isCrowded: boolean): string {
  const isFar = arrow.enters && (arrow.leaves || arrow.fate === 'pending');
  if (isCrowded && isFar) return '';
  const far = isFar ? ' data-far' : '';
  return message(
    isCrowded && arrow.fate === 'pending' ? stub(arrow) : arrow,
    palette,
    `data-arrow="${index}"${far} tabindex="-1" role="img" aria-label="${escaped(messageText(arrow))}"`,
  );
}

const stepText = (line: TraceLine | undefined): string =>
  line ? `${line.node} ${eventText(line.event)}, ${statesText(line)}` : '';

/** The first part of a message that is still on its way. */
function stub(arrow: Arrow): Arrow {
  const { tail, tip } = arrow;
  const part = Math.min(1, 22 / (Math.hypot(tip.x - tail.x, tip.y - tail.y) || 1));
  return {
    ...arrow,
    tip: { x: tail.x + (tip.x - tail.x) * part, y: tail.y + (tip.y - tail.y) * part },
  };
}

const step = (x: number, y: number, line: number, said: string): string =>
  `<circle class="step" data-line="${line}" tabindex="-1" role="button" aria-label="${escaped(said)}" cx="${fixed(x)}" cy="${fixed(y)}" r="3"/>`;

const faultMark = (x: number, y: number, line: number, text: string): string[] => [
  `<g class="fault"><path class="cross" d="M${fixed(x - 5)} ${fixed(y - 5)}l10 10m0 -10l-10 10"/>`,
  `<text x="${fixed(x - 4)}" y="${fixed(y - 12)}">${escaped(shortened(text))}</text></g>`,
  step(x, y, line, text),
];

/**
 * A bracket below the lanes around what is repeated, with an arrow back to its beginning; or the
 * end of all lanes.
 */
function repetition(
  repeats: number | 'ended' | undefined,
  {
    from,
    right,
    y,
    top,
    xOf,
  }: { from: number; right: number; y: number; top: number; xOf(line: number): number },
): string[] {
  if (repeats === undefined) return [];
  const end = right - 6;
  if (repeats === 'ended') {
    const bars = `<path d="M${fixed(end)} ${fixed(top)}V${fixed(y - 10)}m4 0V${fixed(top)}"/>`;
    return [
      `<g class="loop">${bars}<text x="${fixed(end)}" y="${fixed(y + 7)}" text-anchor="end">nothing more happens</text></g>`,
    ];
  }
  const begins = repeats >= from;
  const start = begins ? xOf(repeats) - 10 : 0;
  const head = begins ? `M${fixed(start - 4)} ${fixed(y - 2)}l4 -5l4 5` : '';
  const line = `M${fixed(end)} ${fixed(y - 7)}V${fixed(y + 1)}q0 4 -4 4H${fixed(start + 4)}${begins ? `q-4 0 -4 -4V${fixed(y - 7)}` : ''}`;
  const text = 'repeats forever';
  const middle = Math.min((start + end) / 2, right - textWidth(text) / 2);
  return [
    `<g class="loop"><path d="${line}${head}"/><text x="${fixed(middle)}" y="${fixed(y + 9)}" text-anchor="middle">${text}</text></g>`,
  ];
}
