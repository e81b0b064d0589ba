import type { Action, World } from '@conclave/check';
import type { Worlds } from '@conclave/check/internal';
import type { Message, NodeId } from '@conclave/core/protocol';
import type { StudioBudget } from './budget.js';
import type { Moment, Run } from './run.js';
import type { System } from './system.js';
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

/**
 * What a user may want to do. A drop is `unsent` where a crashed node has not sent the message; a
 * crash is `inside` in the middle of a step.
 */
export type Kind = Action['type'] | 'unsent' | 'inside';

/** What both have: what it is, and how it reads. */
interface Wanted {
  readonly kind: Kind;
  readonly target: Target;
  /** Of what cannot happen: as it would be; a split has no side then. */
  readonly action: Action;
  /** `deliver request(1) from a to b`. */
  readonly text: string;
}

export interface Possible extends Wanted {
  /** Its position in `run.actions(moment)`. */
  readonly number: number;
  /** Of a crash in the middle of a step: the step, and what it has sent by then. */
  readonly inside?: { readonly step: string; readonly fate: string };
}

export interface Impossible extends Wanted {
  /** Why not: one sentence. */
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
  switch (action.type) {
    case 'deliver':
    case 'drop':
    case 'duplicate': {
      const { from, to } = action;
      return { kind: 'message', from, to, positions: positionsOf(worlds, world, action) };
    }
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

/**
 * The positions of the messages that an action stands for: all that are equal, since no one can
 * tell them apart.
 */
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
  if (action.type === 'command') return `${kind} ${action.node} ${sameText(action.command)}`;
  if (action.type === 'timeout') return `${kind} ${action.node} ${action.timer}`;
  if (action.type === 'choose') return `${kind} ${action.node} ${sameText(action.value)}`;
  if (isInside(action)) return `${kind} ${action.node} ${sameText([action.during, action.lost])}`;
  return 'node' in action ? `${kind} ${action.node}` : kind;
}

/** A text that two plain values share if they are equal. */
export function sameText(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort())
      : part,
  );
}

/** Whether a split with this side, or the one there is, separates two nodes. */
export const separates = (side: readonly NodeId[], from: NodeId, to: NodeId): boolean =>
  side.includes(from) !== side.includes(to);

/** Each value once. */
export const unique = <T>(values: readonly T[]): readonly T[] => [
  ...new Map(values.map((value) => [sameText(value), value])).values(),
];
