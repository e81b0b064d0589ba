import { badInput, ConclaveError } from '../../base/error.js';
import { checkGiven } from '../../options/shapes.js';
import type { Protocol } from '../../protocol/protocol.js';
import type { Topology } from '../../topology/topology.js';
import { linesText } from '../../trace/text.js';
import type { Trace, TraceLine } from '../../trace/trace.js';
import type { Budget } from '../worlds/budget.js';
import { timeOf, withFittingTick } from '../worlds/time.js';
import { Worlds } from '../worlds/worlds.js';
import { afterLine } from './after-line.js';
import { divergence, notSplit, tooMany } from './not-followed.js';
import { hasBudget, oneTickLater, openCount, type Position, runOf, settle } from './position.js';

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
    const hasOthers = trace.lines.some(
      ({ event }) => event.kind === 'drop' || event.kind === 'duplicate',
    );
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
