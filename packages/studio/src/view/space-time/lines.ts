import { eventText, type SpaceTimeView, statesText } from '@conclave/core/internal/trace';
import type { NodeId } from '@conclave/core/protocol';
import { actorOf } from '../../model/last-step.js';
import type { Moment, RunLine } from '../../model/run.js';
import { say } from '../../texts/say.js';

/** The lines that are drawn: the first, and the one after the last. */
export interface Part {
  readonly from: number;
  readonly to: number;
}

/** A part begins at a multiple of this many lines, so that single steps do not move it. */
const block = 24;
/** At least so many lines before the present one are drawn. */
const before = 48;
const most = before + block;

/** How many lines there are up to this moment: what is after them has not happened there. */
export function linesUpTo(lines: readonly RunLine[], { depth }: Moment): number {
  const later = lines.findIndex(({ moment }) => moment.depth > depth);
  return later < 0 ? lines.length : later;
}

/** The part of a run to draw around line `at`, moved by so many blocks. */
export function partAround(at: number, length: number, moved: number): Part {
  const last = Math.max(0, Math.ceil((length - most) / block)) * block;
  const from = Math.max(0, Math.floor((at - before) / block) * block + moved * block);
  return { from: Math.min(from, last), to: Math.min(Math.min(from, last) + most, length) };
}

/** Where the run repeats, as a line; `ended` where nothing more happens after it. */
export function repeatsFrom(
  lines: readonly RunLine[],
  tip: Moment,
  loop: Moment | undefined,
): number | 'ended' | undefined {
  if (!loop) return undefined;
  return loop === tip ? 'ended' : linesUpTo(lines, loop);
}

/** Why a step cannot be taken, and at which node. */
export function faultAt({
  step,
}: Moment): { readonly node: NodeId; readonly text: string } | undefined {
  return step?.fault && { node: actorOf(step) ?? '', text: step.fault.message };
}

/** A line in words: `4  b request(1) from a: released → wanted`. */
export function lineText({ line, moment }: RunLine): string {
  const states = statesText(line);
  const time =
    line.time === undefined ? '' : say(' at {ms} ms', { ms: Number(line.time.toFixed(3)) });
  const step = say('Step {depth}', { depth: moment.depth });
  return `${step}${time}: ${line.node} ${eventText(line.event)}${states === '' ? '' : `, ${states}`}`;
}

/** What happened to a message, in words. */
export function fateText(
  lines: readonly RunLine[],
  { call, from, to, fate, sent, end }: SpaceTimeView['arrows'][number],
): string {
  const at = (line: number | undefined): string => {
    const moment = line === undefined ? undefined : lines[line]?.moment;
    return moment === undefined
      ? ''
      : moment.depth === 0
        ? say(' at the start')
        : say(' in step {depth}', { depth: moment.depth });
  };
  const then = fate === 'pending' ? say('still on its way') : `${say(fate)}${at(end)}`;
  return say('{call} from {from} to {to}: sent{at}, {then}', {
    call,
    from,
    to,
    at: at(sent),
    then,
  });
}
