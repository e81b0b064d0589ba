import { roleOf } from '../../protocol/protocol.js';
import { start } from '../../protocol/step.js';
import { traceLine } from '../../trace/recording.js';
import type { TraceLine } from '../../trace/trace.js';
import { actionLines } from './action-lines.js';
import { canonical } from './canonical.js';
import type { Action, CrashInside, World } from './world.js';
import type { Worlds } from './worlds.js';

/** A run as the lines of a trace that replays, and by action the index of its first line. */
export interface RunLines {
  readonly lines: readonly TraceLine[];
  readonly firstLines: readonly number[];
  /** By action: its position among the actions of its world. */
  readonly steps: readonly number[];
}

/**
 * The run of these actions from the initial world. A node that acts at its start has a line for it,
 * directly before the choices of its start. A run that ends while a choice is open is extended
 * until none is, since actors do not stop there.
 */
export function runLines(worlds: Worlds, actions: readonly Action[]): RunLines {
  const { protocol, topology } = worlds;
  const lines: TraceLine[] = [];
  const places: number[] = [];
  const steps: number[] = [];
  let world = worlds.initial;
  const { clockwork } = worlds;
  let ticks = 0;
  const add = (line: TraceLine) =>
    lines.push(clockwork ? { time: ticks * clockwork.tick, ...line } : line);
  const take = (action: Action) => {
    places.push(lines.length);
    steps.push(numberOf(worlds, world, action));
    for (const line of actionLines(worlds, world, action)) add(line);
    if (action.type === 'tick') ticks++;
    world = worlds.next(world, action);
  };
  const last = actions.reduce((before, action) => worlds.next(before, action), world);
  const all = [...actions, ...answers(worlds, last)];
  const inStarts = all.filter(isInStart); // the first ones; each follows the line of its start
  const left = all.filter((action) => !isInStart(action));
  for (const id of topology.nodes) {
    const { machine, input } = roleOf(protocol, id, topology);
    const { state, effects } = start(machine, id, input(id, topology));
    if (effects.length > 0)
      add(
        traceLine(protocol, { node: id, stimulus: { kind: 'start' }, after: state.value, effects }),
      );
    for (const action of inStarts) if (action.node === id) take(action);
    while (world.choosing[0]?.node === id) {
      const answer = left.shift();
      if (!answer) break;
      take(answer);
    }
  }
  for (const action of left) take(action);
  return { lines, firstLines: places, steps };
}

const isInStart = (action: Action): action is CrashInside =>
  action.type === 'crash' && action.during?.type === 'start';

/**
 * The position of `action` among those that are possible in `world`.
 * @throws {Error} if it is none of them.
 */
function numberOf(worlds: Worlds, world: World, action: Action): number {
  const wanted = canonical(action);
  const number = worlds.actions(world).findIndex((possible) => canonical(possible) === wanted);
  if (number < 0)
    throw new Error(
      `A run takes an action that is not possible: ${wanted}. This is a mistake of Conclave, not of the protocol`,
    );
  return number;
}

/** Answers to the open choices: the first ones that do not fail. */
function answers(worlds: Worlds, world: World): readonly Action[] {
  if (world.choosing.length === 0) return [];
  for (const answer of worlds.actions(world)) {
    try {
      return [answer, ...answers(worlds, worlds.next(world, answer))];
    } catch {
      // Try the next answer.
    }
  }
  return [];
}
