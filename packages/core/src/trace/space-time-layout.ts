/** Where a space-time diagram draws what: columns of time, lanes, bars and arrows. No SVG. */
import { isChannelFault } from '../protocol/faults.js';
import type { NodeId } from '../protocol/node.js';
import { isChannelEvent, matchMessages, type Transmission } from './matching.js';
import { participants } from './sequence.js';
import { eventText, type Trace, type TraceEvent, type TraceLine } from './trace.js';

/** A point of the drawing, in pixels from its upper left corner. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** The line of one node, from left to right. */
interface Lane {
  readonly id: NodeId;
  readonly y: number;
}

/** A stretch of a lane in which its node is in one state, or crashed. */
export interface Stretch {
  readonly y: number;
  readonly from: number;
  readonly to: number;
  readonly state: string;
  readonly crashed: boolean;
}

/** One copy of a message: to its arrival, to where it was lost, or to where it is at the end. */
export interface Arrow {
  readonly fate: 'delivered' | 'lost' | 'pending';
  /**
   * Whether it was sent before the first line that is drawn, and whether it ends after the last.
   */
  readonly enters: boolean;
  readonly leaves: boolean;
  readonly call: string;
  readonly from: NodeId;
  readonly to: NodeId;
  readonly tail: { readonly x: number; readonly y: number };
  readonly tip: { readonly x: number; readonly y: number };
  /** The line that sends it. */
  readonly sent: number;
  /** The line that delivers or loses it. */
  readonly end?: number;
}

/**
 * What happens to a node other than a delivery, or a notification to its application; at the step
 * on its lane.
 */
export interface Mark extends Point {
  readonly kind: TraceEvent['kind'] | 'notify';
  readonly text: string;
  /** In the trace. */
  readonly line: number;
}

/** The positions of all parts of a space-time diagram. */
export interface Layout {
  readonly left: number;
  readonly right: number;
  readonly lanes: readonly Lane[];
  readonly stretches: readonly Stretch[];
  readonly arrows: readonly Arrow[];
  readonly marks: readonly Mark[];
  /** Where a node takes a step, and in which line of the trace. */
  readonly steps: readonly (Point & { readonly line: number })[];
  /** The moments at which something happens; empty for a trace without times. */
  readonly moments: readonly { readonly x: number; readonly time: number }[];
  /** The states in which nodes are first seen. */
  readonly firstStates: ReadonlySet<string>;
  /** The x of a line of the trace. */
  xOf(line: number): number;
}

/** Where the lanes are, and which lines are drawn. Messages are matched over the whole trace. */
interface LayoutOptions extends Columns {
  /** From one lane to the next, in pixels. Default: by the longest text of a message. */
  readonly distance?: number;
  /** Of the first lane, from the top, in pixels. */
  readonly top?: number;
  /** Where the lanes begin, in pixels. Default: after the names of the nodes. */
  readonly left?: number;
  /** After the last step, in pixels. */
  readonly room?: number;
}

/** Places a trace: nodes one below the other, time from left to right. */
export function layOut(trace: Trace, options: LayoutOptions = {}): Layout {
  const ids = participants(trace);
  const { from = 0, to = trace.lines.length, top = 78, room = 28 } = options;
  const transmissions = matchMessages(trace);
  const longest = transmissions.reduce(
    (width, { call }) => Math.max(width, textWidth(shortened(call))),
    0,
  );
  const distance = options.distance ?? Math.min(Math.max(40 + longest, 64), 124);
  const lanes = ids.map((id, row) => ({ id, y: top + row * distance }));
  const rows = new Map(lanes.map(({ id, y }) => [id, y]));
  const yOf = (id: NodeId): number => rows.get(id) ?? 0;
  const left =
    options.left ?? 28 + ids.reduce((width, id) => Math.max(width, textWidth(id, 13)), 0);
  const xs = abscissas(trace, transmissions, left + 18, options);
  const drawn = trace.lines
    .slice(from, to)
    .map((line, index) => ({ ...line, index: index + from }));
  const place: Place = { xOf: (line) => xs[line] ?? left, yOf, distance, from, to };
  const arrows = transmissions.flatMap((transmission) => arrowsOf(transmission, place));
  const marks = drawn.flatMap((line) => marksOf(line, line.index, place));
  const right =
    Math.max(
      place.xOf(to - 1),
      ...arrows.map(({ tip }) => tip.x),
      ...marks.map(({ x, text }) => x + textWidth(text) / 2),
    ) + room;
  const { xOf } = place;
  return {
    left,
    right,
    lanes,
    stretches: stretchesOf(trace, ids, place, left, right),
    arrows: arrows.map((arrow) =>
      arrow.fate === 'pending' || arrow.leaves
        ? { ...arrow, tip: { x: right, y: arrow.tip.y } }
        : arrow,
    ),
    marks,
    steps: drawn.flatMap((line) =>
      isChannelEvent(line) || (line.event.kind === 'start' && line.effects.length === 0)
        ? []
        : [{ x: xOf(line.index), y: yOf(line.node), line: line.index }],
    ),
    moments: drawn.flatMap(({ time, index }) =>
      time === undefined || (index > from && trace.lines[index - 1]?.time === time)
        ? []
        : [{ x: xOf(index), time }],
    ),
    firstStates: new Set(ids.flatMap((id) => stateFrom(trace, id, 0) ?? [])),
    xOf: (line) => (line >= to ? right : xOf(line)),
  };
}

/** What is where, while a trace is laid out. */
interface Place {
  xOf(line: number): number;
  yOf(id: NodeId): number;
  readonly distance: number;
  readonly from: number;
  readonly to: number;
}

/**
 * How much of its way to the receiver's lane a message has behind it where it enters, and where it
 * leaves.
 */
const [entering, leaving] = [0.35, 0.65];

function arrowsOf(
  { from, to, call, sent, delivered, lost, inFlight }: Transmission,
  { xOf, yOf, distance, ...drawn }: Place,
): Arrow[] {
  if (sent >= drawn.to) return [];
  const enters = sent < drawn.from;
  const origin = { x: xOf(sent), y: yOf(from) };
  const drop = yOf(to) - origin.y;
  const tail = enters ? { x: origin.x, y: origin.y + drop * entering } : origin;
  /** Toward `x` on the receiver's lane, `short` lanes before it. */
  const arrow = (fate: Arrow['fate'], x: number, short: number, end?: number): Arrow => {
    const leaves = end !== undefined && end >= drawn.to;
    const part = leaves ? leaving : drop === 0 ? 1 : 1 - (short * distance) / Math.abs(drop);
    const tip = { x: origin.x + (x - origin.x) * part, y: origin.y + drop * part };
    return {
      fate,
      enters,
      leaves,
      call,
      from,
      to,
      tail,
      tip,
      sent,
      ...(end !== undefined && { end }),
    };
  };
  const isSeen = (line: number) => line >= drawn.from;
  return [
    ...delivered.filter(isSeen).map((line) => arrow('delivered', xOf(line), 0, line)),
    ...lost
      .filter(isSeen)
      .map((line) =>
        xOf(line) - tail.x < usual
          ? arrow('lost', tail.x + Math.min(Math.abs(drop), widest), 0.4, line)
          : arrow('lost', xOf(line), 0.2, line),
      ),
    ...Array.from({ length: inFlight }, () => arrow('pending', tail.x + usual, 0.5)),
  ];
}

function marksOf(line: TraceLine, index: number, { xOf, yOf }: Place): Mark[] {
  const [x, y] = [xOf(index), yOf(line.node)];
  const text = markText(line.event);
  const told = line.effects.flatMap((effect) => (effect.kind === 'notify' ? [effect.call] : []));
  return [
    ...(text === undefined ? [] : [{ kind: line.event.kind, text, x, y, line: index }]),
    ...(told.length === 0
      ? []
      : [{ kind: 'notify' as const, text: shortened(told.join(', ')), x, y, line: index }]),
  ];
}

/** The state of a node before line `start`, as far as later lines show it. */
function stateFrom({ lines }: Trace, id: NodeId, start: number): string | undefined {
  const line = lines.find(
    ({ node, after }, index) => index >= start && node === id && after !== undefined,
  );
  return line?.before ?? line?.after;
}

function stretchesOf(
  trace: Trace,
  ids: readonly NodeId[],
  { xOf, yOf, from, to }: Place,
  left: number,
  right: number,
): Stretch[] {
  const open = new Map(
    ids.map((id) => [
      id,
      {
        stretches: [] as Stretch[],
        state: stateFrom(trace, id, 0),
        from: from === 0 ? 0 : left,
        crashed: false,
      },
    ]),
  );
  type Open = typeof open extends Map<NodeId, infer T> ? T : never;
  const close = (lane: Open, y: number, at: number) => {
    const { state, crashed, stretches } = lane;
    if (at > lane.from && (crashed || state !== undefined))
      stretches.push({ y, from: lane.from, to: at, state: state ?? '', crashed });
    lane.from = at;
  };
  for (const [index, { node, event, after }] of trace.lines.entries()) {
    const lane = open.get(node);
    if (index >= to || !lane) break;
    const restarted = event.kind === 'restart';
    const next = {
      state: after ?? (restarted ? stateFrom(trace, node, index) : lane.state),
      crashed: event.kind === 'crash' || (lane.crashed && !restarted),
    };
    if (next.state === lane.state && next.crashed === lane.crashed) continue;
    close(lane, yOf(node), xOf(index));
    Object.assign(lane, next);
  }
  for (const [id, lane] of open) close(lane, yOf(id), right);
  return [...open.values()].flatMap(({ stretches }) => stretches);
}

/** Roughly how wide `text` is in a sans-serif font of `size` pixels. */
export const textWidth = (text: string, size = 11): number => [...text].length * size * 0.58;

const longestText = 28;

/** `text`, cut where it would take too much room in the drawing. */
export function shortened(text: string): string {
  const characters = [...text];
  return characters.length > longestText
    ? `${characters.slice(0, longestText - 1).join('')}…`
    : text;
}

/** What is written above a lane; deliveries and channel losses are drawn as arrows instead. */
function markText(event: TraceEvent): string | undefined {
  const { kind } = event;
  return kind === 'start' || kind === 'deliver' || isChannelFault(kind)
    ? undefined
    : shortened(eventText(event));
}

/** Which lines of a trace have columns, and how wide they are. */
interface Columns {
  /** The first line; those before it are to the left of the drawing. Default 0. */
  readonly from?: number;
  /**
   * The line after the last; it and those after it are to the right of the drawing. Default: all.
   */
  readonly to?: number;
  /**
   * Without times: how far apart steps are, in pixels. Then, and with times too, each line has a
   * column of its own.
   */
  readonly column?: number;
}

const narrowest = 20;
/** The longest distance of two steps, in pixels. */
const widest = 88;
/** The usual distance of two steps with times, in pixels. */
const usual = 48;
const untimed = 88;

/**
 * The x of each line. Consecutive lines share a column unless time passes between them, or one has
 * to come before the other: the same node acts twice, or a message arrives. Columns are as far
 * apart as their times, within limits, and far enough for what is written there.
 */
function abscissas(
  { lines }: Trace,
  transmissions: readonly Transmission[],
  origin: number,
  { from = 0, to = lines.length, column }: Columns,
): number[] {
  const sentIn = new Map(
    transmissions.flatMap(({ sent, delivered }) => delivered.map((line) => [line, sent] as const)),
  );
  const gap = gapScale(
    lines.slice(from, to).map(({ time }) => time),
    column ?? untimed,
  );
  const columns = new LineColumns(column !== undefined);
  const xs: number[] = [];
  const written = new Map<NodeId, number>();
  for (let index = from; index < to; index++) {
    const line = lines[index];
    if (!line) break;
    const passed = (line.time ?? 0) - (lines[index - 1]?.time ?? line.time ?? 0);
    const sent = sentIn.get(index);
    const isNext = columns.add(line, index, passed, sent);
    const text = markText(line.event);
    const room = text === undefined ? 0 : textWidth(text);
    const x = Math.max(
      (xs[index - 1] ?? origin) + (isNext ? gap(passed) : 0),
      sent === undefined ? 0 : (xs[sent] ?? origin) + usual,
      text === undefined ? 0 : (written.get(line.node) ?? 0) + room + 6,
    );
    xs[index] = x;
    if (text !== undefined) written.set(line.node, x + room / 2);
  }
  return xs;
}

/** The column of each line. */
class LineColumns {
  readonly #columns: number[] = [];
  /** By node: where it acted last. */
  readonly #acted = new Map<NodeId, number>();

  /** @param apart whether each line has a column of its own */
  constructor(private readonly apart: boolean) {}

  /**
   * @param sent the line whose message it delivers
   * @returns whether the line begins a column to the right of another one
   */
  add(line: TraceLine, index: number, passed: number, sent: number | undefined): boolean {
    const previous = this.#columns[index - 1] ?? 0;
    const isStep = !isChannelEvent(line);
    const isNext =
      this.#columns.length > 0 &&
      (this.apart ||
        passed > 0 ||
        (isStep && this.#acted.get(line.node) === previous) ||
        (sent !== undefined && this.#columns[sent] === previous));
    const column = previous + Number(isNext);
    this.#columns[index] = column;
    if (isStep) this.#acted.set(line.node, column);
    return isNext;
  }
}

/** From milliseconds to pixels: the median gap gets the usual width. */
function gapScale(
  times: readonly (number | undefined)[],
  otherwise: number,
): (passed: number) => number {
  const gaps = times.flatMap((time, index) => {
    const passed = (time ?? 0) - (times[index - 1] ?? time ?? 0);
    return passed > 0 ? [passed] : [];
  });
  const median = gaps.sort((a, b) => a - b)[Math.floor(gaps.length / 2)];
  if (median === undefined) return () => otherwise;
  return (passed) => Math.min(Math.max((usual * passed) / median, narrowest), widest);
}
