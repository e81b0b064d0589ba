/**
 * What a user may want to do and cannot, with the reason. First come all candidates: deliveries,
 * losses, commands, timers, crashes, a split. Those that can happen are left out. Each other one
 * needs a larger budget, or a node, a guard, a timer or a clock stands against it, and the sentence
 * says which.
 */
import type { Action, World } from '@conclave/check';
import { canonical } from '@conclave/check/internal';
import { faults, nodesAccepting, roleOf, stateText, takes } from '@conclave/core/internal';
import { guardText } from '@conclave/core/internal/chart';
import type { Command, Message, NodeId } from '@conclave/core/protocol';
import type { StateValue } from 'xstate';
import { groupBy } from '../base/collections.js';
import { numeral } from '../base/numbers.js';
import { idOf } from '../chart/graph.js';
import { say } from '../texts/say.js';
import {
  actionsWithMore,
  allInputs,
  type Impossible,
  keyOf,
  kindOf,
  lackOf,
  mostToSplit,
  separates,
  type Target,
  targetOf,
  unique,
  withTimes,
} from './possible.js';
import type { Moment, Run } from './session.js';
import type { System } from './system.js';
import {
  activeStates,
  afterTimers,
  callOf,
  messageWords,
  regionsTaking,
  timerOf,
  wordsOf,
} from './words.js';

/** What a user may want to do at a moment and cannot, each with its reason. */
export function impossible(run: Run, moment: Moment): readonly Impossible[] {
  const { system } = run;
  const { world } = moment;
  const keys = (actions: ReturnType<Run['actions']>) =>
    new Set(actions.map((action) => keyOf(action, targetOf(system.worlds, world, action))));
  const happens = keys(run.actions(moment));
  const isClosed = world.choosing.length > 0 || moment.step?.fault !== undefined;
  const withMore = isClosed ? new Set<string>() : keys(actionsWithMore(system, world));
  return candidateActions(system, world).flatMap(({ action, target }): Impossible[] => {
    const key = keyOf(action, target);
    if (happens.has(key)) return [];
    const text =
      action.type === 'split'
        ? say('split the network')
        : wordsOf(withTimes(system), world, action);
    const against = withMore.has(key)
      ? lackOf(system, action)
      : { why: reasonAgainst(system, moment, action, target) };
    return [{ kind: kindOf(action), target, action, text, ...against }];
  });
}

type Of<T extends Action['type']> = Extract<Action, { readonly type: T }>;

/** Why `action` cannot happen at `moment`, whatever the budget: one sentence. */
function reasonAgainst(
  system: System,
  { world, step }: Moment,
  action: Action,
  target: Target,
): string {
  if (step?.fault) return say('Nothing more happens: the last step failed.');
  const [choice] = world.choosing;
  if (choice) return say('{node} must answer its choice first.', { node: choice.node });
  switch (action.type) {
    case 'command':
      return againstCommand(system, world, action);
    case 'timeout':
      return againstTimeout(system, world, action);
    case 'crash':
      if (world.crashed.includes(action.node))
        return say('{node} has crashed.', { node: action.node });
      return say("The budget's mayCrash forbids that {node} crashes {here}.", {
        node: action.node,
        here: inState(world, action.node),
      });
    case 'restart':
      return say('{node} has not crashed.', { node: action.node });
    case 'split':
      return againstSplit(system, world);
    case 'heal':
      return say('The network is not split.');
    case 'tick':
      return againstTick(system, world);
    case 'choose':
      return say('{node} has no choice to answer.', { node: action.node });
    default: {
      const [position = 0] = target.kind === 'message' ? target.positions : [];
      return againstMessage(system, world, action, position);
    }
  }
}

const inState = ({ nodes }: World, node: NodeId, regions?: readonly string[]): string =>
  say('in {state}', { state: stateOf(nodes[node]?.value ?? '', regions) });

/** A state in quotes; of several parallel regions only `regions`. */
function stateOf(value: StateValue, regions: readonly string[] = []): string {
  const parts =
    typeof value === 'string' ? [] : Object.entries(value).filter(([key]) => regions.includes(key));
  return `'${stateText(parts.length > 0 ? Object.fromEntries(parts) : value)}'`;
}

function againstMessage(
  system: System,
  world: World,
  { type, from, to, due }: Of<'deliver' | faults.ChannelFault>,
  position: number,
): string {
  const { protocol, worlds } = system;
  if (worlds.order === 'fifo' && position > 0) {
    const [head] = world.channels[`${from}→${to}`] ?? [];
    const others = position > 1 ? say(', and {more} more', { more: position - 1 }) : '';
    return head
      ? say('{call} is ahead of it{others}.', { call: callOf(protocol, head, from), others })
      : say('Another message is ahead of it.');
  }
  const isCut = separates(world.cut, from, to);
  if (type === 'deliver') {
    if (world.crashed.includes(to)) return say('{node} has crashed.', { node: to });
    if (isCut) return say('The network is split between {from} and {to}.', { from, to });
    return say('It arrives in {time} at the earliest.', {
      time: milliseconds(system, due?.least ?? 0),
    });
  }
  if (protocol.crashNotice !== undefined)
    return say(
      '{title} relies on a network that reports each crash: messages are neither lost nor duplicated.',
      { title: protocol.title },
    );
  return say('The network is split between {from} and {to}.', { from, to });
}

function againstCommand(system: System, world: World, { node, command }: Of<'command'>): string {
  const { protocol, topology, worlds } = system;
  if (world.crashed.includes(node)) return say('{node} has crashed.', { node });
  const state = world.nodes[node];
  const { type } = command;
  const shape = protocol.commands[type];
  if (!state || !shape) return say('{node} takes no {type}.', { node, type });
  const { machine } = roleOf(protocol, node, topology);
  const here = inState(world, node, regionsTaking(machine, type));
  if (shape.when) {
    if (!shape.when(worlds.view(world).node(node)))
      return say('The condition of {type} is not true: {node} is {here}.', { type, node, here });
    if (shape.kind === 'obligatory' && world.remaining.fulfilled[node]?.includes(type))
      return say(
        '{node} got {type} already; it comes again when its condition becomes true again.',
        { node, type },
      );
  } else if (!takes(machine, state, command, node)) {
    const guards = activeStates(machine, state.value).flatMap((active) =>
      (active.on[type] ?? []).flatMap(({ guard }) => (guard ? [guardText(guard)] : [])),
    );
    if (guards.length === 0)
      return say('{node} does not take {type} {here}.', { node, type, here });
    return say('{node} takes {type} {here} only if {guards} is true.', {
      node,
      type,
      here,
      guards: [...new Set(guards)].join(say(' or ')),
    });
  }
  return say('Time must pass before {node} may leave {state}.', {
    node,
    state: stateOf(state.value),
  });
}

function againstTimeout(
  { protocol, topology, worlds }: System,
  world: World,
  { node, timer }: Of<'timeout'>,
): string {
  if (world.crashed.includes(node))
    return say('{node} has crashed: its timers are not armed.', { node });
  const state = world.nodes[node];
  const clock = world.clocks?.nodes[node];
  if (!state) return say('It is not armed.');
  const place = state.timers.findIndex(({ id }) => id === timer);
  if (place >= 0 && clock) {
    const isDueAfter = (ticks: number) =>
      worlds
        .dueTimers(state, { ...clock, timers: clock.timers.map((left) => left - ticks) })
        .some(({ id }) => id === timer);
    const ticks = least(clock.timers[place] ?? 0, isDueAfter);
    return say('It fires in {time} at the earliest.', { time: milliseconds({ worlds }, ticks) });
  }
  const { machine } = roleOf(protocol, node, topology);
  const arming = afterTimers(machine).find((after) => after.timer === timer)?.state;
  if (!arming) return say('It is not armed.');
  if (activeStates(machine, state.value).includes(arming))
    return say("'{timer}' is not armed any more: it has fired.", {
      timer: timerOf(protocol, topology, { node, timer }),
    });
  return say("Only '{id}' arms it; {node} is {here}.", {
    id: idOf(arming),
    node,
    here: inState(world, node, arming.path.slice(0, 1)),
  });
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
  if (world.cut.length > 0) return say('The network is split already; heal it first.');
  if (protocol.crashNotice !== undefined)
    return say('{title} relies on a network that reports each crash: it does not split.', {
      title: protocol.title,
    });
  const { length } = topology.nodes;
  return say(
    '{length} nodes can be split in {ways} ways; splits are offered for at most {mostToSplit} nodes.',
    { length, ways: numeral(2 ** (length - 1) - 1), mostToSplit },
  );
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
    if (message)
      return say('{message} must arrive first.', {
        message: messageWords(protocol, { from, to, message }),
      });
  }
  for (const node of topology.nodes) {
    const clock = clocks?.nodes[node];
    const timer = world.nodes[node]?.timers[clock?.timers.indexOf(0) ?? -1];
    if (timer)
      return say("Timer '{timer}' of {node} must fire first.", {
        timer: timerOf(protocol, topology, { node, timer: timer.id }),
        node,
      });
    if (clock && clockwork && !clockwork.nodeLater(clock))
      return say('{node} must leave {state} first.', {
        node,
        state: stateOf(world.nodes[node]?.value ?? ''),
      });
  }
  return say('No clock runs: time changes nothing.');
}

/** An action that a user may want, whether it can happen or not. */
interface Candidate {
  readonly action: Action;
  readonly target: Target;
}

/** Everything that a user may want to do in `world`, each once. A split is one, whatever its sides. */
function candidateActions(system: System, world: World): readonly Candidate[] {
  const actions = [...nodeActions(system, world), ...networkActions(system)];
  return [
    ...messageActions(system, world),
    ...actions.map((action) => ({ action, target: targetOf(system.worlds, world, action) })),
  ];
}

/** A message of a channel, and all places where one is like it. */
interface DistinctMessage {
  readonly message: Message;
  readonly due: NonNullable<World['clocks']>['dues'][string][number] | undefined;
  readonly positions: readonly [number, ...number[]];
  /** Whether a crash of its sender may leave it unsent: the last one where the order is kept. */
  readonly isHead: boolean;
}

/** A channel that keeps the order tells equal messages apart; another one does not. */
function distinctMessages(
  { worlds }: System,
  world: World,
  key: string,
): readonly DistinctMessage[] {
  const messages = world.channels[key] ?? [];
  const dues = world.clocks?.dues[key] ?? [];
  const last = messages.findLastIndex((message) => !worlds.isNotice(message));
  const alike = groupBy(messages.keys(), (index) =>
    worlds.order === 'fifo' ? index : canonical([messages[index], dues[index]]),
  );
  return [...alike.values()].flatMap((positions) => {
    const [first] = positions;
    const message = messages[first];
    if (message === undefined) return [];
    const isHead = worlds.order === 'fifo' ? first === last : !worlds.isNotice(message);
    return [{ message, due: dues[first], positions, isHead }];
  });
}

const messageActions = (system: System, world: World): readonly Candidate[] =>
  system.topology.links.flatMap(({ from, to }) =>
    distinctMessages(system, world, `${from}→${to}`).flatMap((distinct) => {
      const { message, due, positions, isHead } = distinct;
      const sent = { from, to, message, ...(due && { due }) };
      const target: Target = { kind: 'message', from, to, positions };
      const [first] = positions;
      const unsent = {
        action: { type: 'drop', ...sent, unsent: first } as const,
        target: { ...target, positions: [first] },
      };
      return [
        ...(['deliver', ...faults.channelFaultRows.map((row) => row.action)] as const).map(
          (type) => ({
            action: { type, ...sent },
            target,
          }),
        ),
        ...(isHead && world.crashed.includes(from) ? [unsent] : []),
      ];
    }),
  );

function nodeActions(system: System, world: World): readonly Action[] {
  const { protocol, topology, worlds } = system;
  const commands = [
    ...allInputs(worlds.commands.optional, protocol),
    ...worlds.commands.obligatory,
  ];
  const takers = new Map(
    commands.map(({ type }) => [type, new Set(nodesAccepting(protocol, topology, type))]),
  );
  const choices = world.choosing.flatMap(({ node, options }) =>
    unique(options).map((value): Action => ({ type: 'choose', node, value })),
  );
  return [
    ...choices,
    ...topology.nodes.flatMap((node): readonly Action[] => [
      ...commands
        .filter(({ type }) => takers.get(type)?.has(node))
        .map((command: Command): Action => ({ type: 'command', node, command })),
      ...timersOf(system, world, node).map((timer): Action => ({ type: 'timeout', node, timer })),
      { type: 'crash', node },
      { type: 'restart', node },
    ]),
  ];
}

/** The armed timers of a node, then the others that its states arm. */
function timersOf({ protocol, topology }: System, world: World, node: NodeId): readonly string[] {
  const armed = world.nodes[node]?.timers.map(({ id }) => id) ?? [];
  const { machine } = roleOf(protocol, node, topology);
  return [
    ...armed,
    ...afterTimers(machine).flatMap(({ timer }) => (armed.includes(timer) ? [] : [timer])),
  ];
}

function networkActions({ topology, worlds }: System): readonly Action[] {
  return [
    ...(topology.nodes.length > 1
      ? [{ type: 'split', side: [] } as const, { type: 'heal' } as const]
      : []),
    ...(worlds.clockwork ? [{ type: 'tick' } as const] : []),
  ];
}
