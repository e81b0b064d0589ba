import type { Command, Json, Message, NodeId } from '../../protocol/node.js';
import type { HostEffect, LocalState } from '../../protocol/step.js';
import { canonical } from './canonical.js';
import type { Channels } from './in-flight.js';

/** What the environment may still do in one world. */
interface Remaining {
  /** By node: the wishes it has left, by position in the list of commands. */
  readonly commands: Readonly<Record<NodeId, readonly number[]>>;
  /** By node: the duties that the application has fulfilled and that are still due by their condition. */
  readonly fulfilled: Readonly<Record<NodeId, readonly string[]>>;
  readonly losses: number;
  readonly duplications: number;
  readonly crashes: number;
  readonly restarts: number;
  readonly partitions: number;
}

/** The whole system at one moment, as one immutable plain value. */
export interface World {
  readonly nodes: Readonly<Record<NodeId, LocalState>>;
  readonly channels: Channels;
  readonly crashed: readonly NodeId[];
  /** The part that is split off from the first node's, in the order of the topology; empty while the network is whole. */
  readonly cut: readonly NodeId[];
  /** Choices to be answered before anything else happens. */
  readonly choosing: readonly { readonly node: NodeId; readonly options: readonly Json[] }[];
  readonly remaining: Remaining;
}

/** One step of a world. */
export type Action =
  | { readonly type: 'command'; readonly node: NodeId; readonly command: Command }
  | { readonly type: 'deliver' | 'drop' | 'duplicate'; readonly from: NodeId; readonly to: NodeId; readonly message: Message }
  | { readonly type: 'timeout'; readonly node: NodeId; readonly timer: string }
  | { readonly type: 'choose'; readonly node: NodeId; readonly value: Json }
  | { readonly type: 'crash' | 'restart'; readonly node: NodeId }
  /** The network falls in two: `side`, and the rest with the first node. */
  | { readonly type: 'split'; readonly side: readonly NodeId[] }
  | { readonly type: 'heal' };

/** What an action did, for the trace. */
export interface Outcome {
  readonly world: World;
  readonly effects: readonly HostEffect[];
}

/** A text that two worlds share exactly if they are the same: under `any` order a channel is a multiset. */
export function worldKey(world: World, order: 'fifo' | 'any'): string {
  if (order === 'fifo') return canonical(world);
  const channels = Object.fromEntries(Object.entries(world.channels).map(([key, messages]) => [key, messages.map(canonical).sort()]));
  return canonical({ ...world, channels });
}
