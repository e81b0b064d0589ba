import { Random, roleOf, stateNodes } from '@conclave/core/internal';
import type { NodeId } from '@conclave/core/protocol';
import { ConclaveError, type Protocol, type TimeModel } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import type { AnyStateMachine } from 'xstate';
import type { Budget } from './budget.js';
import { checkBudget } from './check-budget.js';
import { Clockwork, timeOf, withFittingTick } from './time.js';
import type { World } from './world.js';
import { nextOrFault, Worlds } from './worlds.js';

/** Steps of the walks that look for timers, for one node; a larger network takes fewer. */
const nodeSteps = 1200;
const leastSteps = 60;
const longestWalk = 50;

/**
 * The model of time of a budget, with a tick: exact time passes in steps that fit all times of the
 * model, and the timers of the nodes: those whose delay is a number or follows from the initial
 * context of a node, and those that some walks without time meet, always the same ones. So `Worlds`
 * with this time are numbered alike, wherever they are made. A timer that nothing of this meets may
 * still need a finer tick, and is refused when it is armed.
 *
 * @throws {ConclaveError} `bad-topology`, `bad-input` for an invalid budget.
 * @example new Worlds(protocol, topology, { ...budget, time: fittingTime(protocol, topology,
 * budget) })
 */
export function fittingTime(
  protocol: Protocol,
  topology: Topology,
  budget: Budget = {},
): TimeModel {
  checkBudget(protocol, topology, budget); // its time, too, which the worlds below do not have
  const time = timeOf(protocol, budget);
  if (time === 'untimed' || time.tick !== undefined) return time;
  const worlds = new Worlds(protocol, topology, { ...budget, time: 'untimed' });
  const delays = new Set(topology.nodes.flatMap((id) => initialDelays(worlds, id)));
  for (const delay of delaysMet(worlds)) delays.add(delay);
  return withFittingTick(time, (fitting) => {
    if (fitting === 'untimed') return fitting;
    const clockwork = new Clockwork(fitting, worlds.order);
    for (const delay of delays) clockwork.requireFit(delay);
    return clockwork.tick === 0 ? fitting : { ...fitting, tick: clockwork.tick };
  });
}

/** The delays of the timers that random walks meet. */
function delaysMet(worlds: Worlds): ReadonlySet<number> {
  const met = new Set<number>();
  const random = new Random(1);
  const look = ({ nodes }: World) => {
    for (const { timers } of Object.values(nodes)) for (const { delay } of timers) met.add(delay);
  };
  const most = Math.max(leastSteps, Math.ceil(nodeSteps / worlds.topology.nodes.length));
  let world = worlds.initial;
  look(world);
  for (let step = 0; step < most; step++) {
    const [action] = step % longestWalk === 0 ? [] : random.shuffled(worlds.actions(world));
    const next = action ? nextOrFault(worlds, world, action) : worlds.initial;
    world = next instanceof ConclaveError ? worlds.initial : next;
    look(world);
  }
  return met;
}

/**
 * The delays of all timers of a node, as far as they are numbers, or follow from its initial
 * context.
 */
function initialDelays({ protocol, topology, initial }: Worlds, id: NodeId): readonly number[] {
  const { machine } = roleOf(protocol, id, topology);
  return delaysIn(machine, initial.nodes[id]?.context ?? {});
}

/**
 * The delays of all timers of a machine, as far as they are numbers, or follow from this context.
 */
const delaysIn = (machine: AnyStateMachine, context: object): readonly number[] =>
  stateNodes(machine).flatMap(({ after }) =>
    after.flatMap(({ delay }) => delayIn(machine, delay, context) ?? []),
  );

function delayIn(
  { implementations }: AnyStateMachine,
  delay: unknown,
  context: object,
): number | undefined {
  const named: unknown =
    typeof delay === 'string' ? Reflect.get(implementations.delays, delay) : delay;
  const found: unknown =
    typeof named === 'function'
      ? attempt(() => named({ context, event: { type: 'xstate.init' } }))
      : named;
  return typeof found === 'number' && found >= 0 && found < Infinity ? found : undefined;
}

/** A delay that needs another event, or a later context, may fail. */
function attempt(ask: () => unknown): unknown {
  try {
    return ask();
  } catch {
    return undefined;
  }
}
