import type { Command, Json, Message, NodeId } from '../../protocol/node.js';
import type { HostEffect, LocalState } from '../../protocol/step.js';
import { canonical } from './canonical.js';
import type { Clocks, Due } from './clockwork.js';
import { type Channels, duesOf } from './in-flight.js';

/** The rest of the budget in one world. */
interface Remaining {
  /** By node: how many optional commands are left, of each type or of each command that the budget lists. */
  readonly commands: Readonly<Record<NodeId, readonly number[]>>;
  /** By node: the obligatory commands that were given while their condition was true and has been since. */
  readonly fulfilled: Readonly<Record<NodeId, readonly string[]>>;
  readonly losses: number;
  readonly duplications: number;
  readonly crashes: number;
  readonly restarts: number;
  readonly partitions: number;
}

/** A global state: nodes, channels, clocks, faults and the rest of the budget, as one immutable plain value. */
export interface World {
  readonly nodes: Readonly<Record<NodeId, LocalState>>;
  readonly channels: Channels;
  readonly crashed: readonly NodeId[];
  /** The nodes that are cut off from the first node, in the order of the topology; empty without a split. */
  readonly cut: readonly NodeId[];
  /** Open choices: they are answered before any other action. */
  readonly choosing: readonly { readonly node: NodeId; readonly options: readonly Json[] }[];
  readonly remaining: Remaining;
  /** In exact time only. */
  readonly clocks?: Clocks;
}

/** One step of a world. */
export type Action =
  | { readonly type: 'command'; readonly node: NodeId; readonly command: Command }
  /** `due`, in exact time: when the message would arrive. `unsent`: the position of a message that a crashed node has not sent any more. */
  | {
      readonly type: 'deliver' | 'drop' | 'duplicate';
      readonly from: NodeId;
      readonly to: NodeId;
      readonly message: Message;
      readonly due?: Due;
      readonly unsent?: number;
    }
  | { readonly type: 'timeout'; readonly node: NodeId; readonly timer: string }
  | { readonly type: 'choose'; readonly node: NodeId; readonly value: Json }
  | { readonly type: 'crash' | 'restart'; readonly node: NodeId }
  /** The network splits in two: `side`, and the rest with the first node. */
  | { readonly type: 'split'; readonly side: readonly NodeId[] }
  | { readonly type: 'heal' }
  /** In exact time: one tick passes. */
  | { readonly type: 'tick' };

/** What an action did, for the trace. */
export interface Outcome {
  readonly world: World;
  readonly effects: readonly HostEffect[];
}

/** A text that two worlds share exactly if they are equal: under `any` order a channel is a multiset. */
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
