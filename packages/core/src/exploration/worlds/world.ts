import type { Command, Json, Message, NodeId } from '../../protocol/node.js';
import type { HostEffect, LocalState } from '../../protocol/step.js';
import { canonical } from './canonical.js';
import type { Clocks, Due } from './clockwork.js';
import { type Channels, duesOf } from './in-flight.js';

/** The rest of the budget in one world. */
interface Remaining {
  /**
   * By node: how many optional commands are left, of each type or of each command that the budget
   * lists.
   */
  readonly commands: Readonly<Record<NodeId, readonly number[]>>;
  /**
   * By node: the obligatory commands that were given while their condition was true and has been
   * since.
   */
  readonly fulfilled: Readonly<Record<NodeId, readonly string[]>>;
  readonly losses: number;
  readonly duplications: number;
  readonly crashes: number;
  readonly restarts: number;
  readonly partitions: number;
}

/**
 * A global state: nodes, channels, clocks, faults and the rest of the budget, as one immutable
 * plain value.
 */
export interface World {
  readonly nodes: Readonly<Record<NodeId, LocalState>>;
  readonly channels: Channels;
  readonly crashed: readonly NodeId[];
  /**
   * The nodes that are cut off from the first node, in the order of the topology; empty without a
   * split.
   */
  readonly cut: readonly NodeId[];
  /** Open choices: they are answered before any other action. */
  readonly choosing: readonly { readonly node: NodeId; readonly options: readonly Json[] }[];
  readonly remaining: Remaining;
  /**
   * Before the first action, if nodes may crash: those that send or choose at their start, and may
   * still crash in the middle of it.
   */
  readonly starting?: readonly NodeId[];
  /** In exact time only. */
  readonly clocks?: Clocks;
}

interface OnChannel<T> {
  readonly type: T;
  readonly from: NodeId;
  readonly to: NodeId;
  readonly message: Message;
  /** In exact time: when the message would arrive. */
  readonly due?: Due;
}

/** An action by which a node takes a step. */
export type StepAction =
  | { readonly type: 'command'; readonly node: NodeId; readonly command: Command }
  | OnChannel<'deliver'>
  | { readonly type: 'timeout'; readonly node: NodeId; readonly timer: string }
  | { readonly type: 'choose'; readonly node: NodeId; readonly value: Json }
  | { readonly type: 'restart'; readonly node: NodeId };

/**
 * A crash in the middle of a step: the node has taken `during`, and the sends at these positions
 * have not left it any more.
 */
export interface CrashInside {
  readonly type: 'crash';
  readonly node: NodeId;
  /** `start`: of the start of the node, before anything else happens. */
  readonly during: StepAction | { readonly type: 'start' };
  readonly lost: readonly number[];
}

/** One step of a world. */
export type Action =
  | StepAction
  /** `unsent`: the position of a message that a crashed node has not sent any more. */
  | (OnChannel<'drop'> & { readonly unsent?: number })
  | OnChannel<'duplicate'>
  | {
      readonly type: 'crash';
      readonly node: NodeId;
      readonly during?: undefined;
      readonly lost?: undefined;
    }
  | CrashInside
  /** The network splits in two: `side`, and the rest with the first node. */
  | { readonly type: 'split'; readonly side: readonly NodeId[] }
  | { readonly type: 'heal' }
  /** In exact time: one tick passes. */
  | { readonly type: 'tick' };

/**
 * What an action did: the world after it, and the effects of the acting node. A send that a crash
 * has lost is none of them.
 */
export interface Outcome {
  readonly world: World;
  readonly effects: readonly HostEffect[];
}

/** Whether a node takes a step by an action. */
export const isStep = (action: Action | CrashInside['during']): action is StepAction =>
  action.type === 'command' ||
  action.type === 'deliver' ||
  action.type === 'timeout' ||
  action.type === 'choose' ||
  action.type === 'restart';

/** The node that takes a step. */
export const actorOf = (action: StepAction): NodeId =>
  action.type === 'deliver' ? action.to : action.node;

/** The step that a node takes by an action, also where it crashes in the middle of it. */
export function stepOf(action: Action): StepAction | undefined {
  if (isStep(action)) return action;
  return action.type === 'crash' && action.during && isStep(action.during)
    ? action.during
    : undefined;
}

/**
 * A text that two worlds share exactly if they are equal: under `any` order a channel is a
 * multiset.
 */
export function worldKey(world: World, order: 'fifo' | 'any'): string {
  if (order === 'fifo') return canonical(world);
  const { clocks } = world;
  const channels = Object.fromEntries(
    Object.entries(world.channels).map(([key, messages]) => {
      const dues = duesOf(world, key);
      return [key, messages.map((message, index) => canonical([message, dues[index]])).sort()];
    }),
  );
  return canonical({ ...world, channels, ...(clocks && { clocks: clocks.nodes }) });
}
