/**
 * Exact time as ages in whole ticks: how long ago a message was sent or a timer armed, how long a
 * node has been in a state.
 */
import type { Message, NodeId } from '../../../protocol/node.js';
import type { ExactTime, Interval } from '../../../protocol/time.js';

/** In ticks: from the youngest to the oldest age at which something happens. */
export interface Range {
  readonly least: number;
  readonly most: number;
}

export interface Durations {
  message(from: NodeId, to: NodeId, message: Message): Range;
  timer(delay: number): Range;
  readonly stays: readonly { readonly tag: string; readonly range: Range }[];
}

/** Whether it may happen at this age. */
export const isRipe = ({ least }: Range, age: number): boolean => age >= least;

/** Whether it has to happen before it gets older. */
export const isOver = ({ most }: Range, age: number): boolean => age >= most;

/**
 * The age after a tick. What no longer makes a difference is not counted: beyond its bounds nothing
 * gets older.
 */
export const older = ({ least, most }: Range, age: number): number =>
  Math.min(age + 1, most === Infinity ? least : most);

export const never: Range = { least: 0, most: Infinity };

/** Untimed: at any age, so that no age makes a difference. */
export const anyMoment: Durations = { message: () => never, timer: () => never, stays: [] };

/** @throws for a time that is no whole number of ticks. */
export function inTicks(time: ExactTime, tick: number): Durations {
  const { drift = 0 } = time;
  const ticks = (millionths: number): number => {
    const count = millionths / Math.round(tick * 1e6);
    if (!Number.isInteger(count) && count !== Infinity)
      throw new Error(`${millionths / 1e6} ms are no whole ticks of ${tick} ms`);
    return count;
  };
  const rangeOf = ([least, most]: Interval): Range => ({
    least: ticks(least * 1e6),
    most: ticks(most * 1e6),
  });
  const rangesOf = (intervals: Readonly<Record<string, Interval>> = {}) =>
    new Map(Object.entries(intervals).map(([name, interval]) => [name, rangeOf(interval)]));
  const byType = rangesOf(time.messages);
  const byLink = rangesOf(time.links);
  const otherwise = rangeOf(time.delay);
  const drifts = Math.round(drift * 1e6);
  return {
    message: (from, to, { type }) => byType.get(type) ?? byLink.get(`${from}→${to}`) ?? otherwise,
    timer: (delay) => ({
      least: ticks(delay * (1e6 - drifts)),
      most: ticks(delay * (1e6 + drifts)),
    }),
    stays: [...rangesOf(time.stays)].map(([tag, range]) => ({ tag, range })),
  };
}
