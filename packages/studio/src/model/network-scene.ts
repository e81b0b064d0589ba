/**
 * What the drawing of a network shows: lines between nodes, labels that hide nothing, the messages
 * on them, and which of them move in a step.
 */
import { matchMessages } from '@conclave/core/internal/trace';
import type { Message, NodeId, Protocol } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import { computed, type ReadonlySignal } from '@preact/signals';
import { memo } from '../base/collections.js';
import { pointText } from '../base/numbers.js';
import { networkLayout, type Point, type Size } from './network-layout.js';
import type { Session } from './session.js';
import { callOf } from './words.js';

/** Everything about a drawing of a network that no step changes. */
export interface NetworkScene {
  readonly width: number;
  readonly height: number;
  /** Of a node. */
  readonly radius: number;
  readonly nodes: readonly SceneNode[];
  readonly places: ReadonlyMap<NodeId, Point>;
  /** Each pair of neighbours once. */
  readonly pairs: readonly Pair[];
  /** Whether there is room for the state of each node, beside its name. */
  readonly hasStates: boolean;
  /** How many letters of a state are written. */
  readonly letters: number;
}

export interface SceneNode {
  readonly id: NodeId;
  readonly at: Point;
  readonly side: Side;
  /** Whether its name fits into its circle. */
  readonly isNameInside: boolean;
}

export interface Pair {
  readonly from: NodeId;
  readonly to: NodeId;
  /** Whether there is only the channel from the first to the second. */
  readonly isOneWay: boolean;
}

/** How wide a letter is, in pixels, on average. */
const letter = 6.2;

/** How far to move a text at `x`, with its outline, to keep it inside. */
export function inward(
  wide: number,
  anchor: 'start' | 'middle' | 'end',
  x: number,
  width: number,
): number {
  const left = x - { start: 0, middle: wide / 2, end: wide }[anchor];
  return Math.max(3, Math.min(left, width - wide - 3)) - left;
}

/** The drawing of a network in a space of this size, in pixels. */
export function networkScene(topology: Topology, width: number, height: number): NetworkScene {
  const least = Math.min(width, height);
  const isTight = least < 260 || (topology.nodes.length > 12 && least < 520);
  const margin = isTight ? 26 : 40;
  const { places, closest } = networkLayout(topology, { width, height, margin });
  const radius = Math.min(isTight ? 14 : 20, Math.max(7, closest * 0.27));
  const letters = Math.min(15, Math.max(10, Math.floor((closest + 12) / letter)));
  const isInside = (id: NodeId) => id.length * letter * 1.15 <= 2 * radius - 7;
  const pairs = pairsOf(topology);
  const hasStates = closest > (topology.nodes.every(isInside) ? 40 : 62);
  const at = (id: NodeId): Point => places.get(id) ?? { x: width / 2, y: height / 2 };
  const labels = topology.nodes.map((id) => {
    const lines = (isInside(id) ? 0 : 1) + (hasStates ? 1 : 0);
    const longest = Math.max(isInside(id) ? 0 : id.length, hasStates ? Math.min(9, letters) : 0);
    return { at: at(id), width: longest * letter, height: Math.max(lines, 1) * 13 };
  });
  const lines = pairs.map(({ from, to }) => [at(from), at(to)] as const);
  const sides = labelSides(labels, lines.length > 120 ? [] : lines, radius, { width, height });
  const nodes = topology.nodes.map((id, index) => ({
    id,
    at: at(id),
    side: sides[index] ?? 'below',
    isNameInside: isInside(id),
  }));
  return { width, height, radius, nodes, places, pairs, hasStates, letters };
}

function pairsOf(topology: Topology): readonly Pair[] {
  const order = new Map(topology.nodes.map((id, index) => [id, index]));
  return topology.links.flatMap(({ from, to }) => {
    const back = topology.link(to, from) !== undefined;
    const isFirst = !back || (order.get(from) ?? 0) < (order.get(to) ?? 0);
    return isFirst ? [{ from, to, isOneWay: !back }] : [];
  });
}

type Side = 'below' | 'above' | 'right' | 'left';

interface Label extends Size {
  /** The middle of the node. */
  readonly at: Point;
}

interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

const sides: readonly Side[] = ['below', 'above', 'right', 'left'];

/**
 * On which side of its node each label is: where it covers the fewest nodes, other labels and
 * lines. One after the other, so that the result depends on the arguments only.
 */
function labelSides(
  labels: readonly Label[],
  lines: readonly (readonly [Point, Point])[],
  radius: number,
  space: Size,
): readonly Side[] {
  const nodes = labels.map(({ at }) => around(at, radius + 2));
  const placed: Box[] = [];
  return labels.map((label, index) => {
    let [best, least]: [Side, number] = ['below', Infinity];
    for (const [preference, side] of sides.entries()) {
      const box = labelBox(label, side, radius);
      const beyond = [-box.left, -box.top, box.right - space.width, box.bottom - space.height];
      const outside = sumOf(beyond, (distance) => Math.max(0, distance));
      const covered = sumOf(nodes, (node) => (node === nodes[index] ? 0 : overlap(box, node)));
      const other = sumOf(placed, (before) => overlap(box, before));
      const crossed = sumOf(lines, ([from, to]) => (crosses(box, from, to) ? 1 : 0));
      const inwards = toCentre(label.at, side, space) * 20;
      const cost =
        outside * 1000 + covered * 6 + other * 4 + crossed * 26 + inwards + preference * 3;
      if (cost < least) [best, least] = [side, cost];
    }
    placed.push(labelBox(label, best, radius));
    return best;
  });
}

const sumOf = <T>(values: readonly T[], of: (value: T) => number): number =>
  values.reduce((sum, value) => sum + of(value), 0);

export function labelBox({ at: { x, y }, width, height }: Label, side: Side, radius: number): Box {
  const gap = radius + 3;
  const left = side === 'left' ? x - gap - width : side === 'right' ? x + gap : x - width / 2;
  const top = side === 'above' ? y - gap - height : side === 'below' ? y + gap : y - height / 2;
  return { left, top, right: left + width, bottom: top + height };
}

/** From 1 towards the centre, where most lines are, to −1 away from it. */
function toCentre({ x, y }: Point, side: Side, { width, height }: Size): number {
  const [dx, dy] = [width / 2 - x, height / 2 - y];
  const along = { below: dy, above: -dy, right: dx, left: -dx };
  return along[side] / Math.max(1, Math.hypot(dx, dy));
}

const around = ({ x, y }: Point, by: number): Box => ({
  left: x - by,
  right: x + by,
  top: y - by,
  bottom: y + by,
});

const overlap = (one: Box, other: Box): number =>
  Math.max(0, Math.min(one.right, other.right) - Math.max(one.left, other.left)) *
  Math.max(0, Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top));

/** Whether a line from one point to another goes through a box (Liang and Barsky). */
function crosses({ left, top, right, bottom }: Box, from: Point, to: Point): boolean {
  let [first, last] = [0, 1];
  const clip = (delta: number, least: number, most: number): boolean => {
    if (delta === 0) return least <= 0 && most >= 0;
    const [near, far] = delta > 0 ? [least / delta, most / delta] : [most / delta, least / delta];
    first = Math.max(first, near);
    last = Math.min(last, far);
    return first <= last;
  };
  return (
    clip(to.x - from.x, left - from.x, right - from.x) &&
    clip(to.y - from.y, top - from.y, bottom - from.y)
  );
}

/** The way of messages on one channel: a quadratic curve between the borders of its two nodes. */
export interface ChannelLine {
  readonly start: Point;
  readonly control: Point;
  readonly end: Point;
  /** Of the straight line between both ends. */
  readonly length: number;
}

/** The line between two nodes of this radius; its middle is so far right of the straight line. */
export function channelLine(from: Point, to: Point, radius: number, bend: number): ChannelLine {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const distance = Math.max(1e-6, Math.hypot(dx, dy));
  const [ux, uy] = [dx / distance, dy / distance];
  const middle = { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 };
  const control = { x: middle.x - uy * bend * 2, y: middle.y + ux * bend * 2 };
  const inset = Math.min(radius, distance / 2.5);
  return {
    start: towards(from, control, inset),
    control,
    end: towards(to, control, inset),
    length: Math.max(0, distance - 2 * inset),
  };
}

function towards(from: Point, to: Point, by: number): Point {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const part = by / Math.max(1e-6, Math.hypot(dx, dy));
  return { x: from.x + dx * part, y: from.y + dy * part };
}

/** The point of a line at `t`, from 0 at its start to 1 at its end. */
export function pointOn({ start, control, end }: ChannelLine, t: number): Point {
  const rest = 1 - t;
  return {
    x: rest * rest * start.x + 2 * rest * t * control.x + t * t * end.x,
    y: rest * rest * start.y + 2 * rest * t * control.y + t * t * end.y,
  };
}

/** A line as the data of an SVG path. */
export const pathData = ({ start, control, end }: ChannelLine): string =>
  `M${pointText(start.x, start.y)}Q${pointText(control.x, control.y)} ${pointText(end.x, end.y)}`;

/** From one token of this size to the next on a line. */
export function pitchOn({ start, end }: ChannelLine, { width, height }: Size): number {
  const [dx, dy] = [Math.abs(end.x - start.x), Math.abs(end.y - start.y)];
  const along = Math.max(1e-6, Math.hypot(dx, dy));
  return Math.min((width * along) / Math.max(dx, 1e-6), (height * along) / Math.max(dy, 1e-6)) + 2;
}

/** Places that are nearer to each other than `least` in a row, one below the other. */
export const apart = (places: readonly Point[], least: number): readonly Point[] =>
  places.map(({ x, y }, index) => {
    const before = places.slice(0, index);
    const near = before.filter((one) => Math.hypot(one.x - x, one.y - y) < least).length;
    return { x, y: y + near * least };
  });

interface Queue {
  /** The middle of each token that is shown, the oldest message first, nearest to its receiver. */
  readonly places: readonly Point[];
  /** How many newer messages the last token stands for as well. */
  readonly hidden: number;
}

/** Where the tokens of `count` messages are on a line; each takes `width` × `height`. */
export function queueOn(line: ChannelLine, count: number, { width, height }: Size): Queue {
  const pitch = pitchOn(line, { width, height });
  const shown = Math.max(1, Math.min(count, Math.floor(line.length / pitch)));
  const isTight = line.length < pitch;
  // a single message is not at the very end of a long line
  const spare = Math.min(0.12 * line.length + 4, (line.length - shown * pitch) / 2);
  const places = Array.from({ length: shown }, (_, index) => {
    const fromEnd = Math.min(line.length - pitch / 2, (index + 0.5) * pitch + spare);
    return pointOn(line, isTight ? 0.5 : 1 - fromEnd / line.length);
  });
  return { places, hidden: count - shown };
}

/** A message of a run with times, on its channel. Times are in virtual milliseconds. */
export interface Flight {
  readonly call: string;
  readonly sent: number;
  /** When its last copy arrives, or is lost; undefined where it does not in this run. */
  readonly ends: number | undefined;
  /** From which moment on it is on its way, and until which: their depths. */
  readonly first: number;
  readonly last: number;
}

/** By channel, `a→b`. */
type Flights = ReadonlyMap<string, readonly Flight[]>;

/** The messages of the branch that is shown; undefined where it has no times. */
export const flightsOf = memo((session: Session): ReadonlySignal<Flights | undefined> => {
  const { run, tip } = session;
  return computed(() => {
    if (tip.value.step?.time === undefined) return undefined;
    const lines = run.lines(tip.value);
    const { header } = run.trace(run.start);
    const flights = new Map<string, Flight[]>();
    for (const { from, to, call, sent, delivered, lost, inFlight } of matchMessages({
      header,
      lines: lines.map(({ line }) => line),
    })) {
      const end = inFlight > 0 ? undefined : lines[Math.max(...delivered, ...lost)];
      const all = flights.get(`${from}→${to}`) ?? [];
      flights.set(`${from}→${to}`, all);
      all.push({
        call,
        sent: lines[sent]?.line.time ?? 0,
        ends: end?.line.time,
        first: lines[sent]?.moment.depth ?? 0,
        last: end?.moment.depth ?? Infinity,
      });
    }
    return flights;
  });
});

/**
 * How far each of the messages on a channel is on its way at `time`, from 0 to 1. One that does not
 * end comes half of the way, the nearer the later it is.
 */
export function progressOf(
  protocol: Protocol,
  flights: readonly Flight[],
  { from, messages, depth }: { from: NodeId; messages: readonly Message[]; depth: number },
  time: number,
): readonly number[] {
  const open = flights.filter(({ first, last }) => first <= depth && depth < last);
  return messages.map((message) => {
    const call = callOf(protocol, message, from);
    const flight = open.find((one) => one.call === call);
    if (!flight) return 0.5;
    open.splice(open.indexOf(flight), 1);
    const { sent, ends } = flight;
    const passed = Math.max(0, time - sent);
    if (ends === undefined) return passed / (2 * passed + 20);
    return ends <= sent ? 1 : Math.min(1, passed / (ends - sent));
  });
}
