import type { Action, World } from '@conclave/core/exploration';
import { roleOf, stateText, takes } from '@conclave/core/internal/protocol';
import type { NodeId } from '@conclave/core/protocol';
import type { StateValue } from 'xstate';
import { grouped } from '../base/numbers.js';
import { idOf } from '../chart/graph.js';
import { mostToSplit } from './larger-budget.js';
import { separates, type Target } from './possible.js';
import type { Moment } from './run.js';
import { activeStates, afterTimers, regionsTaking } from './states.js';
import type { System } from './system.js';
import { callOf, messageWords, timerOf } from './words.js';

type Of<T extends Action['type']> = Extract<Action, { readonly type: T }>;

/** Why `action` cannot happen at `moment`, whatever the budget: one sentence. */
export function reasonAgainst(
  system: System,
  { world, step }: Moment,
  action: Action,
  target: Target,
): string {
  if (step?.fault) return 'Nothing more happens: the last step failed.';
  const [choice] = world.choosing;
  if (choice) return `${choice.node} must answer its choice first.`;
  switch (action.type) {
    case 'deliver':
    case 'drop':
    case 'duplicate': {
      const [position = 0] = target.kind === 'message' ? target.positions : [];
      return againstMessage(system, world, action, position);
    }
    case 'command':
      return againstCommand(system, world, action);
    case 'timeout':
      return againstTimeout(system, world, action);
    case 'crash':
      if (world.crashed.includes(action.node)) return `${action.node} has crashed.`;
      return `The budget's mayCrash forbids that ${action.node} crashes ${inState(world, action.node)}.`;
    case 'restart':
      return `${action.node} has not crashed.`;
    case 'split':
      return againstSplit(system, world);
    case 'heal':
      return 'The network is not split.';
    case 'tick':
      return againstTick(system, world);
    case 'choose':
      return `${action.node} has no choice to answer.`;
  }
}

const inState = ({ nodes }: World, node: NodeId, regions?: readonly string[]): string =>
  `in ${stateOf(nodes[node]?.value ?? '', regions)}`;

/** A state in quotes; of several parallel regions only `regions`. */
function stateOf(value: StateValue, regions: readonly string[] = []): string {
  const parts =
    typeof value === 'string' ? [] : Object.entries(value).filter(([key]) => regions.includes(key));
  return `'${stateText(parts.length > 0 ? Object.fromEntries(parts) : value)}'`;
}

function againstMessage(
  system: System,
  world: World,
  { type, from, to, due }: Of<'deliver' | 'drop' | 'duplicate'>,
  position: number,
): string {
  const { protocol, worlds } = system;
  if (worlds.order === 'fifo' && position > 0) {
    const [head] = world.channels[`${from}→${to}`] ?? [];
    const others = position > 1 ? `, and ${position - 1} more` : '';
    return head
      ? `${callOf(protocol, head, from)} is ahead of it${others}.`
      : 'Another message is ahead of it.';
  }
  const isCut = separates(world.cut, from, to);
  if (type === 'deliver') {
    if (world.crashed.includes(to)) return `${to} has crashed.`;
    if (isCut) return `The network is split between ${from} and ${to}.`;
    return `It arrives in ${milliseconds(system, due?.least ?? 0)} at the earliest.`;
  }
  if (protocol.crashNotice !== undefined)
    return `${protocol.title} relies on a network that reports each crash: messages are neither lost nor duplicated.`;
  return `The network is split between ${from} and ${to}.`;
}

function againstCommand(system: System, world: World, { node, command }: Of<'command'>): string {
  const { protocol, topology, worlds } = system;
  if (world.crashed.includes(node)) return `${node} has crashed.`;
  const state = world.nodes[node];
  const { type } = command;
  const shape = protocol.commands[type];
  if (!state || !shape) return `${node} takes no ${type}.`;
  const { machine } = roleOf(protocol, node, topology);
  const here = inState(world, node, regionsTaking(machine, type));
  if (shape.when) {
    if (!shape.when(worlds.view(world).node(node)))
      return `The condition of ${type} is not true: ${node} is ${here}.`;
    if (shape.kind === 'obligatory' && world.remaining.fulfilled[node]?.includes(type))
      return `${node} got ${type} already; it comes again when its condition becomes true again.`;
  } else if (!takes(machine, state, command, node)) {
    const guards = activeStates(machine, state.value).flatMap((active) =>
      (active.on[type] ?? []).flatMap(({ guard }) => (guard ? [guardName(guard)] : [])),
    );
    if (guards.length === 0) return `${node} does not take ${type} ${here}.`;
    return `${node} takes ${type} ${here} only if ${[...new Set(guards)].join(' or ')} is true.`;
  }
  return `Time must pass before ${node} may leave ${stateOf(state.value)}.`;
}

function guardName(guard: unknown): string {
  if (typeof guard === 'string') return guard;
  if (typeof guard === 'function') return guard.name || 'its guard';
  return typeof guard === 'object' && guard !== null && 'type' in guard
    ? String(guard.type)
    : 'its guard';
}

function againstTimeout(
  { protocol, topology, worlds }: System,
  world: World,
  { node, timer }: Of<'timeout'>,
): string {
  if (world.crashed.includes(node)) return `${node} has crashed: its timers are not armed.`;
  const state = world.nodes[node];
  const clock = world.clocks?.nodes[node];
  if (!state) return 'It is not armed.';
  const place = state.timers.findIndex(({ id }) => id === timer);
  if (place >= 0 && clock) {
    const isDueAfter = (ticks: number) =>
      worlds
        .dueTimers(state, { ...clock, timers: clock.timers.map((left) => left - ticks) })
        .some(({ id }) => id === timer);
    const ticks = least(clock.timers[place] ?? 0, isDueAfter);
    return `It fires in ${milliseconds({ worlds }, ticks)} at the earliest.`;
  }
  const { machine } = roleOf(protocol, node, topology);
  const arming = afterTimers(machine).find((after) => after.timer === timer)?.state;
  if (!arming) return 'It is not armed.';
  if (activeStates(machine, state.value).includes(arming))
    return `'${timerOf(protocol, topology, { node, timer })}' is not armed any more: it has fired.`;
  return `Only '${idOf(arming)}' arms it; ${node} is ${inState(world, node, arming.path.slice(0, 1))}.`;
}

/** The least number from 0 to `most` from which on `holds`, which stays true once it is. */
function least(most: number, holds: (number: number) => boolean): number {
  let [low, high] = [0, most];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function milliseconds({ worlds }: Pick<System, 'worlds'>, ticks: number): string {
  return `${Number((ticks * (worlds.clockwork?.tick ?? 1)).toFixed(3))} ms`;
}

function againstSplit({ protocol, topology }: System, world: World): string {
  if (world.cut.length > 0) return 'The network is split already; heal it first.';
  if (protocol.crashNotice !== undefined)
    return `${protocol.title} relies on a network that reports each crash: it does not split.`;
  const { length } = topology.nodes;
  return `${length} nodes can be split in ${grouped(2 ** (length - 1) - 1)} ways; splits are offered for at most ${mostToSplit} nodes.`;
}

function againstTick({ protocol, topology, worlds }: System, world: World): string {
  const { clocks } = world;
  const { clockwork } = worlds;
  for (const { from, to } of topology.links) {
    const key = `${from}→${to}`;
    const dues = clocks?.dues[key] ?? [];
    const first = worlds.order === 'fifo' ? dues.slice(0, 1) : dues;
    const now = first.findIndex(({ most }) => most === 0);
    const message = now < 0 ? undefined : world.channels[key]?.[now];
    if (message) return `${messageWords(protocol, { from, to, message })} must arrive first.`;
  }
  for (const node of topology.nodes) {
    const clock = clocks?.nodes[node];
    const timer = world.nodes[node]?.timers[clock?.timers.indexOf(0) ?? -1];
    if (timer)
      return `Timer '${timerOf(protocol, topology, { node, timer: timer.id })}' of ${node} must fire first.`;
    if (clock && clockwork && !clockwork.nodeLater(clock))
      return `${node} must leave ${stateOf(world.nodes[node]?.value ?? '')} first.`;
  }
  return 'No clock runs: time changes nothing.';
}
