/**
 * The line of a channel in the drawing of a network, and where the tokens of its messages are on
 * it.
 */
import { pointText } from '../base/numbers.js';
import type { Point, Size } from './network-layout.js';

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
