import type { NodeId } from '../protocol/node.js';
import { isChannelEvent, matchMessages, type Transmission } from './matching.js';
import { participants } from './participants.js';
import { eventText } from './text.js';
import type { Trace, TraceEvent } from './trace.js';

/** A point of the drawing, in pixels from its upper left corner. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** The line of one node, from left to right. */
export interface Lane {
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
  readonly call: string;
  readonly from: NodeId;
  readonly to: NodeId;
  readonly tail: Point;
  readonly tip: Point;
}

/** What happens to a node other than a delivery, or a notification to its application; at the step on its lane. */
export interface Mark extends Point {
  readonly kind: TraceEvent['kind'] | 'notify';
  readonly text: string;
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
}

/** Roughly how wide `text` is in a sans-serif font of `size` pixels. */
export const textWidth = (text: string, size = 11): number => [...text].length * size * 0.58;

const longestText = 28;

/** `text`, cut where it would take too much room in the drawing. */
export function shortened(text: string): string {
  const characters = [...text];
  return characters.length > longestText ? `${characters.slice(0, longestText - 1).join('')}…` : text;
}

/** The first lane's distance from the top. */
const top = 78;
const narrowest = 20;
const widest = 88;
const usual = 48;
const untimed = 88;

/** Places a trace: nodes one below the other, time from left to right. */
export function layOut(trace: Trace): Layout {
  const ids = participants(trace);
  const transmissions = matchMessages(trace);
  const longest = transmissions.reduce((width, { call }) => Math.max(width, textWidth(shortened(call))), 0);
  const distance = Math.min(Math.max(40 + longest, 64), 124);
  const lanes = ids.map((id, row) => ({ id, y: top + row * distance }));
  const rows = new Map(lanes.map(({ id, y }) => [id, y]));
  const yOf = (id: NodeId): number => rows.get(id) ?? 0;
  const left = 28 + ids.reduce((width, id) => Math.max(width, textWidth(id, 13)), 0);
  const xs = abscissas(trace, transmissions, left + 18);
  const xOf = (line: number): number => xs[line] ?? left;
  const arrows = transmissions.flatMap((transmission) => arrowsOf(transmission, xOf, yOf, distance));
  const marks = trace.lines.flatMap((_, line) => marksOf(trace, line, xOf(line), yOf));
  const right =
    Math.max(xOf(xs.length - 1), ...arrows.map(({ tip }) => tip.x), ...marks.map(({ x, text }) => x + textWidth(text) / 2)) + 28;
  return {
    left,
    right,
    lanes,
    stretches: ids.flatMap((id) => stretchesOf(trace, id, xOf, yOf(id), right)),
    arrows: arrows.map((arrow) => (arrow.fate === 'pending' ? { ...arrow, tip: { x: right, y: arrow.tip.y } } : arrow)),
    marks,
    steps: trace.lines.flatMap((line, index) =>
      isChannelEvent(line) || (line.event.kind === 'start' && line.effects.length === 0)
        ? []
        : [{ x: xOf(index), y: yOf(line.node), line: index }],
    ),
    moments: trace.lines.flatMap(({ time }, index) =>
      time === undefined || (index > 0 && trace.lines[index - 1]?.time === time) ? [] : [{ x: xOf(index), time }],
    ),
    firstStates: new Set(ids.flatMap((id) => stateFrom(trace, id, 0) ?? [])),
  };
}

/**
 * The x of each line. Consecutive lines share a column unless time passes between them, or one has to come before the other: the same node
 * acts twice, or a message arrives. Columns are as far apart as their times, within limits, and far enough for what is written there.
 */
function abscissas({ lines }: Trace, transmissions: readonly Transmission[], origin: number): number[] {
  const sentIn = new Map(
    transmissions.flatMap(({ sent, delivered, lost }) => [...delivered, ...lost].map((line) => [line, sent] as const)),
  );
  const gap = gapScale(lines.map(({ time }) => time));
  const columns: number[] = [];
  const xs: number[] = [];
  const acted = new Map<NodeId, number>();
  const written = new Map<NodeId, number>();
  for (const [index, line] of lines.entries()) {
    const previous = columns[index - 1] ?? 0;
    const passed = (line.time ?? 0) - (lines[index - 1]?.time ?? line.time ?? 0);
    const sent = sentIn.get(index);
    const delivery = line.event.kind === 'deliver';
    const next =
      passed > 0 ||
      (!isChannelEvent(line) && acted.get(line.node) === previous) ||
      (delivery && sent !== undefined && columns[sent] === previous);
    columns.push(index === 0 ? 0 : previous + Number(next));
    if (!isChannelEvent(line)) acted.set(line.node, columns[index] ?? 0);
    const after = xs[index - 1] ?? origin;
    const text = markText(line.event);
    const room = text === undefined ? 0 : textWidth(text);
    const x = Math.max(
      index === 0 ? origin : after + (next ? gap(passed) : 0),
      delivery && sent !== undefined ? (xs[sent] ?? origin) + usual : 0,
      text === undefined ? 0 : (written.get(line.node) ?? 0) + room + 6,
    );
    xs.push(x);
    if (text !== undefined) written.set(line.node, x + room / 2);
  }
  return xs;
}

/** From milliseconds to pixels: the median gap gets the usual width. */
function gapScale(times: readonly (number | undefined)[]): (passed: number) => number {
  const gaps = times.flatMap((time, index) => {
    const passed = (time ?? 0) - (times[index - 1] ?? time ?? 0);
    return passed > 0 ? [passed] : [];
  });
  const median = gaps.sort((a, b) => a - b)[Math.floor(gaps.length / 2)];
  if (median === undefined) return () => untimed;
  return (passed) => Math.min(Math.max((usual * passed) / median, narrowest), widest);
}

function arrowsOf(
  { from, to, call, sent, delivered, lost, inFlight }: Transmission,
  xOf: (line: number) => number,
  yOf: (id: NodeId) => number,
  distance: number,
): Arrow[] {
  const tail = { x: xOf(sent), y: yOf(from) };
  const drop = yOf(to) - tail.y;
  /** Toward `x` on the receiver's lane, `short` lanes before it. */
  const arrow = (fate: Arrow['fate'], x: number, short: number): Arrow => {
    const part = drop === 0 ? 1 : 1 - (short * distance) / Math.abs(drop);
    return { fate, call, from, to, tail, tip: { x: tail.x + (x - tail.x) * part, y: tail.y + drop * part } };
  };
  return [
    ...delivered.map((line) => arrow('delivered', xOf(line), 0)),
    ...lost.map((line) =>
      xOf(line) - tail.x < usual ? arrow('lost', tail.x + Math.min(Math.abs(drop), widest), 0.4) : arrow('lost', xOf(line), 0.2),
    ),
    ...Array.from({ length: inFlight }, () => arrow('pending', tail.x + usual, 0.5)),
  ];
}

/** What is written above a lane; deliveries and channel losses are drawn as arrows instead. */
function markText(event: TraceEvent): string | undefined {
  const { kind } = event;
  return kind === 'start' || kind === 'deliver' || kind === 'drop' || kind === 'duplicate' ? undefined : shortened(eventText(event));
}

function marksOf({ lines }: Trace, index: number, x: number, yOf: (id: NodeId) => number): Mark[] {
  const line = lines[index];
  if (!line) return [];
  const y = yOf(line.node);
  const text = markText(line.event);
  const told = line.effects.flatMap((effect) => (effect.kind === 'notify' ? [effect.call] : []));
  return [
    ...(text === undefined ? [] : [{ kind: line.event.kind, text, x, y }]),
    ...(told.length === 0 ? [] : [{ kind: 'notify' as const, text: shortened(told.join(', ')), x, y }]),
  ];
}

/** The state of a node before line `start`, as far as later lines show it. */
function stateFrom({ lines }: Trace, id: NodeId, start: number): string | undefined {
  const line = lines.find(({ node, after }, index) => index >= start && node === id && after !== undefined);
  return line?.before ?? line?.after;
}

function stretchesOf(trace: Trace, id: NodeId, xOf: (line: number) => number, y: number, right: number): Stretch[] {
  const stretches: Stretch[] = [];
  let [state, from, crashed] = [stateFrom(trace, id, 0), 0, false];
  const close = (to: number) => {
    if (to > from && (crashed || state !== undefined)) stretches.push({ y, from, to, state: state ?? '', crashed });
    from = to;
  };
  for (const [index, { node, event, after }] of trace.lines.entries()) {
    if (node !== id) continue;
    const restarted = event.kind === 'restart';
    const next = {
      state: after ?? (restarted ? stateFrom(trace, id, index) : state),
      crashed: event.kind === 'crash' || (crashed && !restarted),
    };
    if (next.state === state && next.crashed === crashed) continue;
    close(xOf(index));
    ({ state, crashed } = next);
  }
  close(right);
  return stretches;
}
