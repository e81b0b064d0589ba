import { ConclaveError } from '../../base/error.js';
import { eventText } from '../../trace/text.js';
import type { TraceLine } from '../../trace/trace.js';
import { actionLines } from '../worlds/action-lines.js';
import { nextOrFault } from '../worlds/next-or-fault.js';
import type { Action, World } from '../worlds/world.js';
import { worldKey } from '../worlds/world-key.js';
import type { Worlds } from '../worlds/worlds.js';

/** The last action of a run, after others. */
interface Taken {
  readonly number: number;
  readonly line: number;
  readonly before: Taken | undefined;
}

/** A loss or duplication of the trace that has not happened yet. */
export interface Pending {
  readonly text: string;
  readonly line: number;
}

/** A world that the trace may have led to. */
export interface Position {
  readonly world: World;
  readonly taken: Taken | undefined;
  /** Sorted by their texts. */
  readonly pending: readonly Pending[];
  /**
   * The texts of the lines that have to follow: the messages of the last step that a cut has lost,
   * a crash in the middle of it, what that has lost.
   */
  readonly lost: readonly string[];
}

/**
 * How many losses and duplications are still to come, less those that the crash in the middle of a
 * step explains.
 */
export const openCount = ({ pending, lost }: Position): number => pending.length - lost.length;

export const takeAction = (
  worlds: Worlds,
  { world, taken, pending }: Position,
  action: Action,
  number: number,
  line: number,
): Position => ({
  world: worlds.next(world, action),
  taken: { number, line, before: taken },
  pending,
  lost: [],
});

/**
 * With the positions after any of the pending losses and duplications; each once, by the run in
 * which they happen soonest. Where the search is not complete: after the first of them, the first
 * two and so on.
 */
export function settle(
  worlds: Worlds,
  reached: readonly Position[],
  isComplete: boolean,
): readonly Position[] {
  const known = new Map<string, Position>();
  const open = [...reached];
  for (const position of open) {
    const { world, pending, lost } = position;
    const key = `${pending.map(({ text }) => text).join()} ${lost.join()} ${worldKey(world, worlds.order)}`;
    if (known.has(key)) continue;
    known.set(key, position);
    if (pending.length === 0) continue;
    for (const next of afterPending(worlds, position)) {
      open.push(next);
      if (!isComplete) break;
    }
  }
  return [...known.values()];
}

/** The positions after each of the pending losses and duplications that can happen now. */
function* afterPending(worlds: Worlds, position: Position): Generator<Position> {
  const { world, pending, lost } = position;
  for (const [number, action] of worlds.actions(world).entries()) {
    if (action.type !== 'drop' && action.type !== 'duplicate') continue;
    const [start, end] = [`${action.to} ${action.type} `, ` from ${action.from}`];
    // cheaper than its line
    if (!pending.some(({ text }) => text.startsWith(start) && text.endsWith(end))) continue;
    const [line] = linesOf(worlds, world, action);
    const place = line ? pending.findIndex(({ text }) => text === textOf(line)) : -1;
    const settling = pending[place];
    if (!settling) continue;
    const left = pending.toSpliced(place, 1);
    yield { ...takeAction(worlds, position, action, number, settling.line), pending: left, lost };
  }
}

export const sortPending = (pending: readonly Pending[]): readonly Pending[] =>
  pending.toSorted((one, other) =>
    one.text < other.text ? -1 : one.text > other.text ? 1 : one.line - other.line,
  );

export const textOf = ({ node, event }: TraceLine): string => `${node} ${eventText(event)}`;

/** One tick later; nothing if something has to happen before. */
export function oneTickLater(
  worlds: Worlds,
  position: Position,
  line: number,
): readonly Position[] {
  const number = worlds.actions(position.world).findIndex(({ type }) => type === 'tick');
  if (number >= 0 && position.lost.length === 0)
    return [takeAction(worlds, position, { type: 'tick' }, number, line)];
  return worlds.isTimeless(position.world) ? [position] : [];
}

/** The lines of an action; none of a tick, and of an action that fails. */
export function linesOf(worlds: Worlds, world: World, action: Action): readonly TraceLine[] {
  if (nextOrFault(worlds, world, action) instanceof ConclaveError) return [];
  return actionLines(worlds, world, action);
}

/** Whether the losses and duplications that have not happened by the end may still do so. */
export function hasBudget({ world, pending }: Position): boolean {
  const drops = pending.filter(({ text }) => text.split(' ')[1] === 'drop').length;
  return drops <= world.remaining.losses && pending.length - drops <= world.remaining.duplications;
}

/** The run that has led to a position. */
export function runOf({ taken }: Position): {
  readonly actions: readonly number[];
  readonly lines: readonly number[];
} {
  const run: Taken[] = [];
  for (let last = taken; last; last = last.before) run.push(last);
  run.reverse();
  return { actions: run.map(({ number }) => number), lines: run.map(({ line }) => line) };
}
