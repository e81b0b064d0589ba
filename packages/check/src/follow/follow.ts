/**
 * Follows a trace through the worlds of a system. Its lines do not say all that has happened, so
 * it may be at several positions at once; it is a run if one of them gets to its end.
 */

import { faults } from '@conclave/core/internal';
import { eventText, isChannelEvent } from '@conclave/core/internal/trace';
import type { Protocol } from '@conclave/core/protocol';
import { ConclaveError } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import { linesText, type Trace, type TraceLine } from '@conclave/core/trace';
import { badInput } from '../base/bad-input.js';
import { checkGiven } from '../options/options.js';
import type { Budget } from '../worlds/budget.js';
import { sideOf } from '../worlds/in-flight.js';
import { actionLines } from '../worlds/run-lines.js';
import { timeOf, withFittingTick } from '../worlds/time.js';
import { type Action, type CrashInside, isStep, type World } from '../worlds/world.js';
import { worldKey } from '../worlds/world-key.js';
import { nextOrFault, Worlds } from '../worlds/worlds.js';
import { budgetOf } from './budget-of.js';

/** A trace as a run of the explored system. */
export interface Followed {
  /** How many lines were followed. */
  readonly steps: number;
  /**
   * The run: each is the position of an action among `worlds.actions(world)`, from the initial
   * world on.
   */
  readonly actions: readonly number[];
  /**
   * By action: its line, from 0; of a tick, the line for which time passes. A message that a
   * simulation loses or duplicates when it is sent, may be lost or duplicated later here: on a
   * `fifo` channel, when it is the head. Of one that is not by the end of the trace, no action
   * tells.
   */
  readonly lines: readonly number[];
  /** In exact time: the step of time in milliseconds with which the actions are numbered. */
  readonly tick?: number;
}

/**
 * Whether a recorded run, such as one of a simulation, is a run of the explored system: what is
 * proved of the system is then true of this run. In exact time each moment of the run is rounded to
 * the nearest tick; a run in dense time stays a run by that (Henzinger, Manna, Pnueli 1992).
 *
 * @throws {ConclaveError} `diverged` at the first line that the system does not allow; `bad-input`
 * for cuts that are no split into two parts, and in exact time for a line without a time.
 * @example follow(protocol, topology, simulate({ protocol, topology, record: true, … }).trace, {
 * commands: 3 })
 */
export function follow(
  protocol: Protocol,
  topology: Topology,
  trace: Trace,
  budget: Budget = {},
): Followed {
  checkGiven('follow', { protocol, topology });
  return withFittingTick(timeOf(protocol, budget), (time) =>
    followTrace(new Worlds(protocol, topology, { ...budget, time }), trace),
  );
}

/**
 * Has `worlds` begin where a trace ends, with their whole budget. The trace may take what it needs.
 *
 * @throws {ConclaveError} as {@link follow}.
 */
export function beginAfter(worlds: Worlds, trace: Trace): void {
  const { protocol, topology, budget, order, clockwork } = worlds;
  const taken = new Worlds(protocol, topology, {
    ...budgetOf(protocol, trace),
    ...{ order, time: timeOf(protocol, budget) },
  });
  let ticks = 0;
  let world = taken.initial;
  for (const number of followTrace(taken, trace).actions) {
    const action = taken.actions(world)[number] as Action; // it was followed
    if (action.type === 'tick') ticks++;
    world = taken.next(world, action);
  }
  if (world === taken.initial) return;
  const lines = clockwork ? trace.lines : trace.lines.map(({ time: _, ...line }) => line);
  worlds.begin(world, { lines, ticks });
}

/** How a trace is searched for its run. */
interface Search {
  /**
   * Whether each order of losses and duplications is tried, or only those in which they happen as
   * soon as they can.
   */
  readonly isComplete: boolean;
  /** The positions to go on from. */
  readonly kept: (found: readonly Position[]) => readonly Position[];
}

/** How many positions a quick search keeps: the first by `open`. */
const fewPositions = 4;
/**
 * How many positions a complete search may visit in all: each open loss or duplication doubles
 * them.
 */
const mostPositions = 20_000;

/**
 * Nearly all traces with losses and duplications are followed by a quick search; the others need a
 * complete one.
 */
function followTrace(worlds: Worlds, trace: Trace): Followed {
  try {
    return followLines(worlds, trace, {
      isComplete: false,
      kept: (found) =>
        found.toSorted((one, other) => openCount(one) - openCount(other)).slice(0, fewPositions),
    });
  } catch (error) {
    const hasOthers = trace.lines.some(({ event }) => faults.isChannelFault(event.kind));
    if (!hasOthers || !(error instanceof ConclaveError)) throw error;
    return followLines(worlds, trace, { isComplete: true, kept: keepAll() });
  }
}

/** Keeps all positions, as long as they are not too many. */
function keepAll(): Search['kept'] {
  let visited = 0;
  return (found) => {
    visited += found.length;
    if (visited <= mostPositions) return found;
    throw badInput(
      `The trace has too many losses and duplications to be followed: more than ${mostPositions} worlds may be meant`,
      'Record a run with fewer of them.',
    );
  };
}

function followLines(worlds: Worlds, { lines }: Trace, { isComplete, kept }: Search): Followed {
  let positions: readonly Position[] = [
    { world: worlds.initial, taken: undefined, pending: [], lost: [] },
  ];
  let ticks = 0;
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] as TraceLine; // below the length
    const where = `Line ${at + 1}, '${linesText([line]).trim()}'`;
    const { kind } = line.event;
    const now = momentOf(worlds, line, where);
    for (; ticks < now; ticks++)
      positions = kept(
        positions.flatMap((position) =>
          settle(worlds, oneTickLater(worlds, position, at), isComplete),
        ),
      );
    const end = kind === 'cut' || kind === 'heal' ? blockEnd(lines, at) : at + 1;
    const found = settle(
      worlds,
      positions.flatMap((position) => afterLine(worlds, position, lines, at, end)),
      isComplete,
    );
    if (found.length === 0)
      throw (
        notSplit(worlds, lines.slice(at, end), positions, where) ??
        divergence(worlds, where, positions)
      );
    positions = kept(found);
    at = end;
  }
  const possible = positions.filter(
    (position) => position.lost.length === 0 && hasBudget(position),
  );
  const [best] = possible.sort((one, other) => one.pending.length - other.pending.length);
  if (!best) throw tooMany(lines, positions);
  const { clockwork } = worlds;
  return { steps: lines.length, ...runOf(best), ...(clockwork && { tick: clockwork.tick }) };
}

/** The end of the lines of one cut or heal: those of the same kind and moment. */
function blockEnd(lines: readonly TraceLine[], from: number): number {
  const first = lines[from];
  const end = lines.findIndex(
    ({ event, time }, index) =>
      index > from && (event.kind !== first?.event.kind || time !== first.time),
  );
  return end < 0 ? lines.length : end;
}

/** The tick nearest to the moment of a line. */
function momentOf({ clockwork }: Worlds, { time }: TraceLine, where: string): number {
  if (!clockwork || clockwork.tick === 0) return 0;
  if (time === undefined)
    throw badInput(
      `${where} has no time`,
      'Follow it in untimed runs, or record it in a simulation.',
    );
  return Math.round(time / clockwork.tick);
}

/** The positions after the lines from `at` to `end`, which are those of one action or of none. */
function afterLine(
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
  if (faults.isChannelFault(kind))
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

/** The last action of a run, after others. */
interface Taken {
  readonly number: number;
  readonly line: number;
  readonly before: Taken | undefined;
}

/** A loss or duplication of the trace that has not happened yet. */
interface Pending {
  readonly text: string;
  readonly line: number;
}

/** A world that the trace may have led to. */
interface Position {
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
const openCount = ({ pending, lost }: Position): number => pending.length - lost.length;

const takeAction = (
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
function settle(
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
    if (!('message' in action) || action.type === 'deliver') continue;
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

const sortPending = (pending: readonly Pending[]): readonly Pending[] =>
  pending.toSorted((one, other) =>
    one.text < other.text ? -1 : one.text > other.text ? 1 : one.line - other.line,
  );

const textOf = ({ node, event }: TraceLine): string => `${node} ${eventText(event)}`;

/** One tick later; nothing if something has to happen before. */
function oneTickLater(worlds: Worlds, position: Position, line: number): readonly Position[] {
  const number = worlds.actions(position.world).findIndex(({ type }) => type === 'tick');
  if (number >= 0 && position.lost.length === 0)
    return [takeAction(worlds, position, { type: 'tick' }, number, line)];
  return worlds.isTimeless(position.world) ? [position] : [];
}

/** The lines of an action; none of a tick, and of an action that fails. */
function linesOf(worlds: Worlds, world: World, action: Action): readonly TraceLine[] {
  if (nextOrFault(worlds, world, action) instanceof ConclaveError) return [];
  return actionLines(worlds, world, action);
}

/** Whether the losses and duplications that have not happened by the end may still do so. */
function hasBudget({ world, pending }: Position): boolean {
  const open = (fault: string) => pending.filter(({ text }) => text.split(' ')[1] === fault).length;
  return faults.channelFaultRows.every(
    ({ action, count }) => open(action) <= world.remaining[count],
  );
}

/** The run that has led to a position. */
function runOf({ taken }: Position): {
  readonly actions: readonly number[];
  readonly lines: readonly number[];
} {
  const run: Taken[] = [];
  for (let last = taken; last; last = last.before) run.push(last);
  run.reverse();
  return { actions: run.map(({ number }) => number), lines: run.map(({ line }) => line) };
}

// Why a trace is no run of a system.

/**
 * The error for a cut that is no split in two, or for a heal of a part of it; undefined where only
 * the budget forbids it.
 */
function notSplit(
  { topology }: Worlds,
  block: readonly TraceLine[],
  positions: readonly Position[],
  where: string,
): ConclaveError | undefined {
  const links = block.flatMap(({ node, event }) =>
    'from' in event ? [{ from: event.from, to: node }] : [],
  );
  const [kind] = block.map(({ event }) => event.kind);
  const isCut = positions.some(({ world }) => world.cut.length > 0);
  const cure =
    'Record a run whose partitions have two groups, which hold all nodes, one after the other.';
  if (kind === 'cut' && isCut)
    return badInput(`${where}: a second cut, while the network is split already`, cure);
  if (kind === 'cut' && !sideOf(topology, links))
    return badInput(`${where}: this cut is no split of the network into two parts`, cure);
  if (kind === 'heal' && isCut) return badInput(`${where}: only a part of the cut heals`, cure);
  return undefined;
}

function tooMany(lines: readonly TraceLine[], positions: readonly Position[]): ConclaveError {
  const [first] = positions
    .flatMap(({ pending }) => pending)
    .sort((one, other) => one.line - other.line);
  const line = lines[first?.line ?? lines.length - 1] as TraceLine; // of the trace
  return new ConclaveError(
    'diverged',
    `Line ${(first?.line ?? lines.length - 1) + 1}, '${linesText([line]).trim()}' is not possible`,
    'Compare the losses and duplications of the budget with the run.',
  );
}

function divergence(worlds: Worlds, where: string, [position]: readonly Position[]): ConclaveError {
  const world = position?.world;
  const lines = world
    ? worlds.actions(world).flatMap((action) => linesOf(worlds, world, action)[0] ?? [])
    : [];
  const instead = lines.map(textOf).join('; ');
  const what = world
    ? `possible is ${instead || 'nothing but to wait'}`
    : 'something had to happen before';
  return new ConclaveError(
    'diverged',
    `${where} is not possible: ${what}`,
    'Compare the budget, the order of channels and the times with the run.',
  );
}
