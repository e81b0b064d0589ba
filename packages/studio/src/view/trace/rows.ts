import type { Rule } from '../../model/rules.js';
import type { Moment, RunLine, Step } from '../../model/run.js';
import { say } from '../../texts/say.js';

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
  /** By which its step was taken; at the first line of the step. */
  readonly rules: readonly Rule[];
}

interface Branch {
  readonly lines: readonly RunLine[];
  readonly texts: readonly string[];
  readonly tip: Moment;
  /** The moment to which the last step of an infinite run returns. */
  readonly loop: Moment | undefined;
  readonly rulesOf: (step: Step) => readonly Rule[];
}

/**
 * The lines of a branch with their texts, a fault at its end, and a mark where it repeats or where
 * nothing more happens.
 */
export function rowsOf({ lines, texts, tip, loop, rulesOf }: Branch): readonly Row[] {
  const rows: Row[] = [];
  const mark = (text: string, moment: Moment) =>
    rows.push({ key: 'loop', text, moment, kind: 'loop', rules: [] });
  let isMarked = loop === undefined || loop === tip;
  for (const [index, { moment }] of lines.entries()) {
    if (!isMarked && loop && moment.depth > loop.depth) {
      isMarked = true;
      mark(say('from here on, repeated forever'), loop);
    }
    const isFirst = lines[index - 1]?.moment !== moment;
    const rules = moment.step && isFirst ? rulesOf(moment.step) : [];
    rows.push({ key: String(index), text: texts[index] ?? '', moment, kind: 'line', rules });
  }
  if (tip.step?.fault)
    rows.push({
      ...{ key: 'fault', text: tip.step.fault.message },
      ...{ moment: tip, kind: 'fault', rules: [] },
    });
  if (loop === tip) mark(say('nothing more happens'), tip);
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
