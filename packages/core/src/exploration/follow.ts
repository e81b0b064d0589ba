import { checkGiven } from '../options/shapes.js';
import { badInput, ConclaveError } from '../protocol/error.js';
import type { Protocol } from '../protocol/protocol.js';
import type { Topology } from '../topology/topology.js';
import { eventText, linesText } from '../trace/text.js';
import type { Trace, TraceLine } from '../trace/trace.js';
import { actionLines } from './worlds/action-lines.js';
import type { Budget } from './worlds/budget.js';
import { nextOrFault } from './worlds/next-or-fault.js';
import { timeOf, withFittingTick } from './worlds/time.js';
import { type Action, type World, worldKey } from './worlds/world.js';
import { Worlds } from './worlds/worlds.js';

/**
 * Whether a recorded run, such as one of a simulation, is a run of the explored system: what is proved of the system is then true of this run.
 * In exact time each moment of the run is rounded to the nearest tick; a run in dense time stays a run by that (Henzinger, Manna, Pnueli 1992).
 *
 * @returns How many lines were followed.
 * @throws {ConclaveError} `diverged` at the first line that the system does not allow; `bad-input` for a cut or heal, which no single action is,
 * and in exact time for a line without a time.
 * @example follow(protocol, topology, simulate({ protocol, topology, record: true, … }).trace, { commands: 3 })
 */
export function follow(protocol: Protocol, topology: Topology, trace: Trace, budget: Budget = {}): { readonly steps: number } {
  checkGiven('follow', { protocol, topology });
  return withFittingTick(timeOf(protocol, budget), (time) => followed(new Worlds(protocol, topology, { ...budget, time }), trace));
}

/** A world that the run may have led to, and the losses and duplications of the run that have not happened in it yet. */
interface Position {
  readonly world: World;
  /** Sorted texts. */
  readonly pending: readonly string[];
}

function followed(worlds: Worlds, { lines }: Trace): { readonly steps: number } {
  let positions: readonly Position[] = [{ world: worlds.initial, pending: [] }];
  let ticks = 0;
  for (const [index, line] of lines.entries()) {
    const where = `Line ${index + 1}, '${linesText([line]).trim()}'`;
    const { kind } = line.event;
    if (kind === 'cut' || kind === 'heal')
      throw badInput(`${where}: a trace with cuts cannot be followed`, 'Record a run without partitions.');
    const now = momentOf(worlds, line, where);
    for (; ticks < now; ticks++) positions = positions.flatMap((position) => settled(worlds, later(worlds, position)));
    if (kind === 'start') continue; // the start is in the initial world
    // A message is lost or duplicated when it is sent; in the system, with `fifo` only when it is the head of its channel.
    const next =
      kind === 'drop' || kind === 'duplicate'
        ? positions.map(({ world, pending }) => ({ world, pending: [...pending, textOf(line)].sort() }))
        : positions.flatMap(({ world, pending }) => after(worlds, world, line).map((reached) => ({ world: reached, pending })));
    const found = settled(worlds, next);
    if (found.length === 0) throw diverged(worlds, where, positions);
    positions = found;
  }
  return { steps: lines.length };
}

/** With the positions after any of the pending losses and duplications; each once. */
function settled(worlds: Worlds, reached: readonly Position[]): readonly Position[] {
  const known = new Map<string, Position>();
  const open = [...reached];
  for (let position = open.pop(); position; position = open.pop()) {
    const { world, pending } = position;
    const key = `${pending.join()} ${worldKey(world, worlds.order)}`;
    if (known.has(key)) continue;
    known.set(key, position);
    if (pending.length === 0) continue;
    for (const action of worlds.actions(world)) {
      if (action.type !== 'drop' && action.type !== 'duplicate') continue;
      const line = lineOf(worlds, world, action);
      const place = line ? pending.indexOf(textOf(line)) : -1;
      if (place >= 0) open.push({ world: worlds.next(world, action), pending: pending.toSpliced(place, 1) });
    }
  }
  return [...known.values()];
}

const textOf = ({ node, event }: TraceLine): string => `${node} ${eventText(event)}`;

/** The tick nearest to the moment of a line. */
function momentOf({ clockwork }: Worlds, { time }: TraceLine, where: string): number {
  if (!clockwork || clockwork.tick === 0) return 0;
  if (time === undefined) throw badInput(`${where} has no time`, 'Follow it in untimed runs, or record it in a simulation.');
  return Math.round(time / clockwork.tick);
}

/** One tick later; nothing if something has to happen before. */
function later(worlds: Worlds, { world, pending }: Position): readonly Position[] {
  const actions = worlds.actions(world);
  if (actions.some(({ type }) => type === 'tick')) return [{ world: worlds.next(world, { type: 'tick' }), pending }];
  return worlds.isTimeless(world) ? [{ world, pending }] : [];
}

/** The worlds that the event of `line` leads to. */
const after = (worlds: Worlds, world: World, line: TraceLine): readonly World[] =>
  worlds.actions(world).flatMap((action) => {
    const taken = lineOf(worlds, world, action);
    return taken && textOf(taken) === textOf(line) && taken.after === line.after ? [worlds.next(world, action)] : [];
  });

/** The first line of an action; none of a tick, and of an action that fails. */
function lineOf(worlds: Worlds, world: World, action: Action): TraceLine | undefined {
  if (nextOrFault(worlds, world, action) instanceof ConclaveError) return undefined;
  return actionLines(worlds, world, action)[0];
}

function diverged(worlds: Worlds, where: string, [position]: readonly Position[]): ConclaveError {
  const world = position?.world;
  const lines = world ? worlds.actions(world).flatMap((action) => lineOf(worlds, world, action) ?? []) : [];
  const instead = lines.map(textOf).join('; ');
  const what = world ? `possible is ${instead || 'nothing but to wait'}` : 'something had to happen before';
  return new ConclaveError(
    'diverged',
    `${where} is not possible: ${what}`,
    'Compare the budget, the order of channels and the times with the run.',
  );
}
