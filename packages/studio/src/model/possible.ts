/** What can happen at a moment, each with what it is about; and what larger budgets would allow. */
import type { Action, World } from '@conclave/check';
import { canonical, Worlds } from '@conclave/check/internal';
import { faults, optionalCommands } from '@conclave/core/internal';
import type { Command, Message, NodeId, Protocol } from '@conclave/core/protocol';
import { memo } from '../base/collections.js';
import { say } from '../texts/say.js';
import type { Moment, Run } from './session.js';
import { crashesOn, type StudioBudget, type System } from './system.js';
import { insideWords, isInside, wordsOf } from './words.js';

/** What an action is about: where the user finds it. */
export type Target =
  /** Messages of one channel that are equal: positions from 0, the oldest first. */
  | {
      readonly kind: 'message';
      readonly from: NodeId;
      readonly to: NodeId;
      readonly positions: readonly number[];
    }
  | { readonly kind: 'node'; readonly node: NodeId }
  /** `side`: the nodes that are, or would be, cut off from the first one. */
  | { readonly kind: 'network'; readonly side: readonly NodeId[] }
  | { readonly kind: 'time' };

/** A drop is `unsent` after a crash of its sender; a crash is `inside` amid a step. */
export type Kind = Action['type'] | 'unsent' | 'inside';

/** What both have: what it is, and how it reads. */
interface DescribedAction {
  readonly kind: Kind;
  readonly target: Target;
  /** Of what cannot happen: as it would be; a split has no side then. */
  readonly action: Action;
  /** `deliver request(1) from a to b`. */
  readonly text: string;
}

export interface Possible extends DescribedAction {
  /** Its position in `run.actions(moment)`. */
  readonly number: number;
  /** Of a crash in the middle of a step: the step, and what it has sent by then. */
  readonly inside?: { readonly step: string; readonly fate: string };
}

export interface Impossible extends DescribedAction {
  readonly why: string;
  /** The larger budget with which it is possible. */
  readonly allow?: Allowance;
}

export interface Allowance {
  readonly budget: StudioBudget;
  /** `allow one more loss`. */
  readonly text: string;
  /** What the protocol assumes against it: `Raymond assumes channels that lose nothing.` */
  readonly beyond?: string;
}

/** What can happen at a moment, in the order of the numbers. */
export function possible(run: Run, moment: Moment): readonly Possible[] {
  const named = withTimes(run.system);
  const { world } = moment;
  return run.actions(moment).map((action, number) => ({
    kind: kindOf(action),
    target: targetOf(named.worlds, world, action),
    text: wordsOf(named, world, action),
    number,
    action,
    ...(isInside(action) && { inside: insideWords(named, world, action) }),
  }));
}

/** A system whose times are said. */
export const withTimes = (system: System): System & Pick<Worlds, 'clockwork'> => ({
  ...system,
  clockwork: system.worlds.clockwork,
});

export function kindOf(action: Action): Kind {
  if (isInside(action)) return 'inside';
  return action.type === 'drop' && action.unsent !== undefined ? 'unsent' : action.type;
}

export function targetOf(worlds: Worlds, world: World, action: Action): Target {
  if ('message' in action) {
    const { from, to } = action;
    return { kind: 'message', from, to, positions: positionsOf(worlds, world, action) };
  }
  switch (action.type) {
    case 'split':
      return { kind: 'network', side: action.side };
    case 'heal':
      return { kind: 'network', side: world.cut };
    case 'tick':
      return { kind: 'time' };
    default:
      return { kind: 'node', node: action.node };
  }
}

type OnChannel = Extract<Action, { readonly message: Message }> & { readonly unsent?: number };

/** The positions of all messages that an action stands for: those that are equal. */
function positionsOf(
  { order }: Worlds,
  world: World,
  { from, to, message, due, unsent }: OnChannel,
): readonly number[] {
  if (unsent !== undefined) return [unsent];
  if (order === 'fifo') return [0];
  const key = `${from}→${to}`;
  const messages = world.channels[key] ?? [];
  if (messages.length === 1) return [0];
  const [text, dues] = [JSON.stringify([message, due]), world.clocks?.dues[key]];
  return messages.flatMap((other, index) =>
    JSON.stringify([other, dues?.[index]]) === text ? [index] : [],
  );
}

/** Names an action among all that a user may want at one moment. */
export function keyOf(action: Action, target: Target): string {
  const kind = kindOf(action);
  if (target.kind === 'message')
    return `${kind} ${target.from}→${target.to} ${target.positions[0]}`;
  if (action.type === 'command') return `${kind} ${action.node} ${canonical(action.command)}`;
  if (action.type === 'timeout') return `${kind} ${action.node} ${action.timer}`;
  if (action.type === 'choose') return `${kind} ${action.node} ${canonical(action.value)}`;
  if (isInside(action)) return `${kind} ${action.node} ${canonical([action.during, action.lost])}`;
  return 'node' in action ? `${kind} ${action.node}` : kind;
}

/** Whether a split with this side, or the one there is, separates two nodes. */
export const separates = (side: readonly NodeId[], from: NodeId, to: NodeId): boolean =>
  side.includes(from) !== side.includes(to);

/** Each value once. */
export const unique = <T>(values: readonly T[]): readonly T[] => [
  ...new Map(values.map((value) => [canonical(value), value])).values(),
];

// What if an assumption is broken: budgets that allow one fault more, and what they permit.

/** A change of the budget that may break a protocol, to learn what its assumptions are for. */
export interface WhatIf {
  /** Completes the sentence 'What if …?'. */
  readonly text: string;
  readonly change: StudioBudget;
  /** The assumption of the protocol that it breaks; undefined where the protocol should bear it. */
  readonly breaks?: string;
}

/** What to try: one more of each fault, another order of messages, one more command. */
export function whatIfs(system: System): readonly WhatIf[] {
  const { protocol, topology, worlds, setup } = system;
  const { channels, crashNotice } = protocol;
  const { budget } = setup;
  const { partitions = 0, commands = 1 } = budget;
  // its network loses and duplicates nothing: the budget would be refused
  const reports = crashNotice !== undefined;
  const all: readonly (WhatIf | false)[] = [
    ...faults.channelFaultRows.map((row): WhatIf | false => {
      const { [row.count]: had = 0 } = budget;
      const verb = say(row.verb);
      const [text, assumption] = [
        had === 0
          ? say('channels {verb} a message', { verb })
          : say('channels {verb} one more message', { verb }),
        channels[row.tolerance]
          ? say('channels {verb} no more', { verb })
          : say('channels {verb} nothing', { verb }),
      ];
      const isAssumed = had >= faults.tolerated(protocol, row.count);
      return (
        !reports && { text, change: { [row.count]: had + 1 }, ...breaks(isAssumed, assumption) }
      );
    }),
    channels.order === 'fifo' &&
      worlds.order === 'fifo' && {
        text: say('messages overtake each other'),
        change: { order: 'any' },
        breaks: say('channels keep the order'),
      },
    ...crashChanges(system),
    !reports &&
      topology.nodes.length > 1 &&
      topology.nodes.length <= mostToSplit && {
        text: say(partitions === 0 ? 'the network splits' : 'the network splits once more'),
        change: { partitions: partitions + 1 },
        ...breaks(!channels.loss, say('channels {verb} nothing', { verb: say('lose') })),
      },
    ...timeChanges(budget.time ?? channels.time),
    worlds.commands.optional.length > 0 &&
      !worlds.commands.isUnlimited && {
        text: say('each node gets each command {times}', {
          times:
            commands === 1 ? say('twice') : say('{commands} times', { commands: commands + 1 }),
        }),
        change: { commands: commands + 1 },
      },
  ];
  return all.filter((one) => one !== false);
}

const breaks = (isAssumed: boolean, assumption: string) => isAssumed && { breaks: assumption };

/** More crashes and restarts, and what a crash may lose. */
function crashChanges({ protocol, topology, setup }: System): readonly (WhatIf | false)[] {
  const { tolerates = [] } = protocol;
  const { crashes = 0, restarts = 0, atomicSteps, unsent } = setup.budget;
  const inSteps = crashesOn(topology);
  return [
    {
      text: say(crashes === 0 ? 'one node crashes' : 'one more node crashes'),
      change: { crashes: crashes + 1, ...inSteps },
      ...breaks(!tolerates.includes('crash'), say('nodes do not crash')),
    },
    crashes > 0 &&
      atomicSteps === true &&
      !inSteps.atomicSteps && {
        text: say('nodes crash in the middle of a step, too'),
        change: { atomicSteps: false },
      },
    crashes > 0 &&
      !unsent && {
        text: say('a crash loses what the node sent in earlier steps, too'),
        change: { unsent: true },
      },
    {
      text:
        crashes > 0
          ? say(restarts === 0 ? 'a crashed node restarts' : 'one more node restarts')
          : say('one node crashes and restarts'),
      change: { crashes: Math.max(crashes, 1), restarts: restarts + 1, ...inSteps },
      ...breaks(!tolerates.includes('restart'), say('crashed nodes do not come back')),
    },
  ];
}

/** What of exact time may be otherwise. */
function timeChanges(time: StudioBudget['time']): readonly WhatIf[] {
  if (time === undefined || time === 'untimed') return [];
  const { delay, messages = {}, drift = 0, tick: _, ...others } = time;
  const exact = { delay, messages, drift, ...others };
  const slower = ([least, most]: typeof delay) => [least, slowFactor * most] as const;
  const assumed = Math.max(delay[1], ...Object.values(messages).map(([, most]) => most));
  const more = drift === 0 ? 0.5 : Math.min(0.9, Math.round(drift * 20e6) / 1e6);
  return [
    {
      text: say('messages are slow: up to {slowFactor} times as long on their way', { slowFactor }),
      change: {
        time: {
          ...exact,
          delay: slower(delay),
          messages: Object.fromEntries(
            Object.entries(messages).map(([type, interval]) => [type, slower(interval)]),
          ),
        },
      },
      breaks: say('messages take at most {assumed} ms', { assumed }),
    },
    {
      text: say('timers fire early or late, by up to {percent} %', {
        percent: Math.round(100 * more),
      }),
      change: { time: { ...exact, drift: more } },
      breaks:
        drift === 0
          ? say('clocks do not drift')
          : say('clocks drift by at most {percent} %', { percent: 100 * drift }),
    },
    {
      text: say('timers fire at any moment'),
      change: { time: 'untimed' },
      breaks: say('messages and timers keep their times'),
    },
  ];
}

const slowFactor = 10;

/** A larger network has too many splits to offer each. */
export const mostToSplit = 10;

/** The same system with one more of everything that a budget counts. */
interface Larger {
  readonly worlds: Worlds;
  readonly of: (world: World) => World;
}

/** What could happen in `world` if the budget had one more of everything. */
export function actionsWithMore(system: System, world: World): readonly Action[] {
  const larger = largerOf(system);
  return larger.worlds.actions(larger.of(world));
}

const largerOf = memo(({ protocol, topology, worlds: { budget } }: System): Larger => {
  // then messages are neither lost nor duplicated
  const reports = protocol.crashNotice !== undefined;
  const partitions = reports || topology.nodes.length > mostToSplit ? (budget.partitions ?? 0) : 1;
  const inputs = allInputs(budget.inputs ?? optionalCommands(protocol), protocol);
  const larger = new Worlds(protocol, topology, {
    ...budget,
    inputs,
    partitions,
    atomicSteps: true,
    unsent: true,
  }); // none asks for crashes inside steps
  const commands = Object.fromEntries(
    topology.nodes.map((id) => [id, larger.commands.initially(1)]),
  );
  const left = {
    ...faults.perFault((name) => (reports && faults.networkFaults.includes(name) ? 0 : 1)),
    partitions: Math.min(partitions, 1),
  };
  return {
    worlds: larger,
    of: (world) => ({ ...world, remaining: { ...world.remaining, commands, ...left } }),
  };
});

/** Those of the budget first, then the others of the protocol. */
export function allInputs(given: readonly Command[], protocol: Protocol): readonly Command[] {
  const texts = new Set(given.map(canonical));
  return [
    ...given,
    ...optionalCommands(protocol).filter((command) => !texts.has(canonical(command))),
  ];
}

/** What only the budget forbids: why, and the budget that allows it. */
interface Lack {
  readonly why: string;
  readonly allow: Allowance;
}

/** That the budget has no more of a fault, against which the protocol may assume something. */
function lackingFault({ setup, topology, protocol }: System, name: faults.FaultName): Lack {
  const { [name]: had = 0 } = setup.budget;
  const [one, many] = faults.kinds[name].name;
  const fault = say(one);
  const happened =
    had === 1
      ? say('The one {fault} of the budget has happened.', { fault })
      : say('All {had} {faults} of the budget have happened.', { had, faults: say(many) });
  const crashes = name === 'crashes' ? crashesOn(topology) : {};
  return {
    why: had === 0 ? say('The budget allows no {faults}.', { faults: say(many) }) : happened,
    allow: {
      budget: { ...crashes, [name]: had + 1 },
      text:
        had === 0 ? say('Allow a {fault}', { fault }) : say('Allow one more {fault}', { fault }),
      ...(had >= faults.tolerated(protocol, name) && { beyond: assumptionAgainst(protocol, name) }),
    },
  };
}

/** What a protocol assumes that does not tolerate so much of a fault. */
function assumptionAgainst({ title, channels }: Protocol, name: faults.FaultName): string {
  const row = faults.kinds[name];
  if (name === 'partitions')
    return say('{title} assumes channels that lose nothing, and a split loses messages.', {
      title,
    });
  if (name === 'crashes') return say('{title} does not claim to tolerate crashes.', { title });
  if (!('verb' in row)) return say('{title} does not claim to tolerate restarts.', { title });
  const verb = say(row.verb);
  return channels[row.tolerance]
    ? say('{title} assumes channels that {verb} no more.', { title, verb })
    : say('{title} assumes channels that {verb} nothing.', { title, verb });
}

/** Why only the budget forbids `action`, and the budget that allows it. */
export function lackOf(system: System, action: Action): Lack {
  if (action.type === 'command') return lackingCommand(system, action);
  if (action.type === 'drop' && action.unsent !== undefined)
    return {
      why: say('In this budget a crash loses nothing that was sent in earlier steps.'),
      allow: { budget: { unsent: true }, text: say('Allow a crash to lose it') },
    };
  const name = faults.faultNames.find((one) => faults.kinds[one].action === action.type);
  if (name === undefined) throw new Error(`No budget counts '${action.type}'`);
  return lackingFault(system, name);
}

function lackingCommand(
  { setup, worlds }: System,
  { node, command }: Extract<Action, { readonly type: 'command' }>,
): Lack {
  const { commands = 1, initiators } = setup.budget;
  const { optional } = worlds.commands;
  const lack = (why: string, text: string, budget: StudioBudget): Lack => ({
    why,
    allow: { budget, text },
  });
  const atLeastOne: StudioBudget = commands === 0 ? { commands: 1 } : {};
  const mayInitiate = !initiators || initiators.includes(node);
  const some = { ...(!mayInitiate && { initiators: [...initiators, node] }), ...atLeastOne };
  if (!optional.some((known) => canonical(known) === canonical(command))) {
    const inputs = [...optional, command];
    const text = say('Allow this {command}', { command: command.type });
    return lack(say('This command is not in the budget.'), text, { inputs, ...some });
  }
  if (!mayInitiate) {
    const takers =
      initiators.length === 0
        ? say('to no node')
        : say('to {initiators} only', { initiators: initiators.join(', ') });
    return lack(
      say('The budget gives commands {takers}.', { takers }),
      say('Allow commands to {node}', { node }),
      some,
    );
  }
  const most =
    commands === 0
      ? say('no commands')
      : say('each node {commands} {command}', { commands, command: command.type });
  const text = say('Allow one more {command} for each node', { command: command.type });
  return lack(say('The budget gives {most}.', { most }), text, { commands: commands + 1 });
}
