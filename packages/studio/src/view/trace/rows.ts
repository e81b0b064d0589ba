import type { Moment, RunLine } from '../../model/run.js';

/** One line of the list. */
export interface Row {
  readonly key: string;
  readonly text: string;
  /** Where a click leads. */
  readonly moment: Moment;
  /**
   * `line`: a line of the trace; `fault`: a step that a machine cannot take; `loop`: where an
   * infinite run begins to repeat.
   */
  readonly kind: 'line' | 'fault' | 'loop';
}

/**
 * The lines of a branch with their texts, a fault at its end, and a mark where it repeats or where
 * nothing more happens.
 *
 * @param loop the moment to which the last step of an infinite run returns
 */
export function rowsOf(
  lines: readonly RunLine[],
  texts: readonly string[],
  tip: Moment,
  loop: Moment | undefined,
): readonly Row[] {
  const rows: Row[] = [];
  const mark = (text: string, moment: Moment) =>
    rows.push({ key: 'loop', text, moment, kind: 'loop' });
  let isMarked = loop === undefined || loop === tip;
  for (const [index, { moment }] of lines.entries()) {
    if (!isMarked && loop && moment.depth > loop.depth) {
      isMarked = true;
      mark('from here on, repeated forever', loop);
    }
    rows.push({ key: String(index), text: texts[index] ?? '', moment, kind: 'line' });
  }
  if (tip.step?.fault)
    rows.push({ key: 'fault', text: tip.step.fault.message, moment: tip, kind: 'fault' });
  if (loop === tip) mark('nothing more happens', tip);
  return rows;
}

/** The most lines that are drawn at once. */
const most = 240;

/** The rows around the moment of this depth, and how many are before and after them. */
export function windowAround(
  rows: readonly Row[],
  depth: number,
): { readonly rows: readonly Row[]; readonly before: number; readonly after: number } {
  if (rows.length <= most) return { rows, before: 0, after: 0 };
  const at = rows.findLastIndex(({ moment }) => moment.depth <= depth);
  const before = Math.min(Math.max(0, at - most / 2), rows.length - most);
  return { rows: rows.slice(before, before + most), before, after: rows.length - most - before };
}
