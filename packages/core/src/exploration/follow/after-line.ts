import { isChannelEvent } from '../../trace/matching.js';
import type { TraceLine } from '../../trace/trace.js';
import { type Action, type CrashInside, isStep } from '../worlds/world.js';
import type { Worlds } from '../worlds/worlds.js';
import { linesOf, type Position, sortPending, takeAction, textOf } from './position.js';

/** The positions after the lines from `at` to `end`, which are those of one action or of none. */
export function afterLine(
  worlds: Worlds,
  position: Position,
  lines: readonly TraceLine[],
  at: number,
  end: number,
): readonly Position[] {
  const line = lines[at] as TraceLine;
  const { kind } = line.event;
  const text = textOf(line);
  const { lost, pending } = position;
  if (kind === 'drop' || kind === 'crash') {
    const place = lost.indexOf(text);
    if (place >= 0) return [{ ...position, lost: lost.toSpliced(place, 1) }];
  }
  // A message is lost or duplicated when it is sent; in the system, with `fifo` only when it is the
  // head of its channel.
  if (kind === 'drop' || kind === 'duplicate')
    return [{ ...position, pending: sortPending([...pending, { text, line: at }]) }];
  if (lost.length > 0) return [];
  if (kind === 'start') return [position]; // it is in the initial world
  const block =
    kind === 'cut' || kind === 'heal'
      ? lines.slice(at, end).map(textOf).sort().join('\n')
      : undefined;
  return worlds.actions(position.world).flatMap((action, number) => {
    const isInside = action.type === 'crash' && action.during !== undefined;
    if (!mayBe(action, line) || (isInside && !crashFollows(action, lines, at))) return [];
    const own = linesOf(worlds, position.world, action);
    if (isInside && !allFollow(own.slice(1).map(textOf), lines, at)) return [];
    const [first] = own;
    const isIt =
      block === undefined
        ? first && textOf(first) === text && first.after === line.after
        : block === own.map(textOf).sort().join('\n');
    if (!isIt) return [];
    return [
      {
        ...takeAction(worlds, position, action, number, at),
        lost: block === undefined ? own.slice(1).map(textOf) : [],
      },
    ];
  });
}

/**
 * Whether a crash in the middle of a step can be what line `at` begins: the next step is the crash
 * of this node. Cheaper than to take it.
 */
function crashFollows(
  { node, during }: CrashInside,
  lines: readonly TraceLine[],
  at: number,
): boolean {
  const next = lines.find(
    (line, index) => index >= (during.type === 'start' ? at : at + 1) && !isChannelEvent(line),
  );
  return next?.node === node && next.event.kind === 'crash' && next.time === lines[at]?.time;
}

/**
 * Whether all these texts follow line `at` at its time, before another step begins, that is, before
 * the second line that is none of a channel.
 */
function allFollow(texts: readonly string[], lines: readonly TraceLine[], at: number): boolean {
  const rest = lines.filter(({ time }, index) => index > at && time === lines[at]?.time);
  const steps = [...rest.keys()].filter((index) => !isChannelEvent(rest[index] as TraceLine));
  const left = rest
    .slice(0, steps[texts.some((text) => text.endsWith(' crash')) ? 1 : 0])
    .map(textOf);
  return texts.every(
    (text) => left.includes(text) && left.splice(left.indexOf(text), 1).length > 0,
  );
}

/** Whether an action can have this line; cheaper than to take it. */
function mayBe(action: Action, { node, event }: TraceLine): boolean {
  if (action.type === 'crash' && action.during && isStep(action.during))
    return mayBe(action.during, { node, event, effects: [] });
  const { type } = action;
  const { kind } = event;
  if (kind === 'cut' || kind === 'heal') return type === (kind === 'cut' ? 'split' : 'heal');
  if (kind === 'deliver')
    return type === 'deliver' && action.to === node && action.from === event.from;
  return type === (kind === 'chosen' ? 'choose' : kind) && 'node' in action && action.node === node;
}
