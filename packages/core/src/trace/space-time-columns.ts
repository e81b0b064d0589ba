import type { NodeId } from '../protocol/node.js';
import { isChannelEvent, type Transmission } from './matching.js';
import { eventText } from './text.js';
import type { Trace, TraceEvent, TraceLine } from './trace.js';

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
export function markText(event: TraceEvent): string | undefined {
  const { kind } = event;
  return kind === 'start' || kind === 'deliver' || kind === 'drop' || kind === 'duplicate'
    ? undefined
    : shortened(eventText(event));
}

/** Which lines of a trace have columns, and how wide they are. */
export interface Columns {
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
export const widest = 88;
/** The usual distance of two steps with times, in pixels. */
export const usual = 48;
const untimed = 88;

/**
 * The x of each line. Consecutive lines share a column unless time passes between them, or one has
 * to come before the other: the same node acts twice, or a message arrives. Columns are as far
 * apart as their times, within limits, and far enough for what is written there.
 */
export function abscissas(
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
