/** What a member knows, and what members send each other. */

import {
  type Effect,
  type Json,
  type NodeId,
  notify,
  type Received,
  send,
} from '@conclave/core/protocol';
import { ofNode } from '../../by-node.js';

/** A message of the application; `sequence` counts those of one sender. */
export type Multicast = { readonly from: NodeId; readonly sequence: number; readonly data: Json };

/** A multicast as message `position` of the stream of one member, which it is sent in. */
export type Entry = Multicast & { readonly stream: NodeId; readonly position: number };

/** The attempts of a node to join are numbered from this times the number of its crashes. */
export const attemptsPerStart = 1000;

/** By node: the number of one of its attempts to join. */
export type Attempts = Readonly<Record<NodeId, number>>;

/** The next view, and all that is to be delivered in the one before it. */
export type Decision = {
  readonly number: number;
  readonly members: readonly NodeId[];
  /** By member that has joined: its attempt. */
  readonly admitted: Attempts;
  /** What may be missing at members of the view before. */
  readonly entries: readonly Entry[];
  /** The coordinator that has decided. */
  readonly by: NodeId;
};

/** What the application tells its node. */
export type Command =
  | { readonly type: 'join' }
  | { readonly type: 'leave' }
  | { readonly type: 'multicast'; readonly data: Json }
  | { readonly type: 'snapshot'; readonly state: Json };

export type Message =
  | { readonly type: 'join-request'; readonly attempt: number }
  | { readonly type: 'leave-request'; readonly view: number }
  | {
      readonly type: 'submit';
      readonly view: number;
      readonly sequence: number;
      readonly data: Json;
    }
  | {
      readonly type: 'message';
      readonly view: number;
      readonly position: number;
      readonly origin: NodeId;
      readonly sequence: number;
      readonly data: Json;
      readonly stable: number;
    }
  | { readonly type: 'acknowledge'; readonly view: number; readonly position: number }
  | { readonly type: 'flush'; readonly view: number; readonly newcomers: Attempts }
  | {
      readonly type: 'flushed';
      readonly view: number;
      readonly attempt: number;
      readonly entries: readonly Entry[];
      readonly pending: readonly Multicast[];
    }
  | ({ readonly type: 'new-view' } & Decision)
  | ({ readonly type: 'welcome'; readonly state: Json } & Decision);

/** With a detector: the view of the sender; 0: it is in none. */
export type Present = {
  readonly type: 'present';
  readonly view: number;
  readonly members: readonly NodeId[];
};

/** From the network: the sender has crashed. */
export type Down = { readonly type: 'down' };

/**
 * What the application learns. `state`: for a newcomer, what the coordinator's application gave as
 * `snapshot`.
 */
export type Notification =
  | {
      readonly type: 'view';
      readonly number: number;
      readonly members: readonly NodeId[];
      readonly state?: Json;
    }
  | {
      readonly type: 'deliver';
      readonly from: NodeId;
      readonly sequence: number;
      readonly data: Json;
      readonly view: number;
    }
  | { readonly type: 'snapshot-wanted'; readonly view: number }
  | { readonly type: 'left' }
  | { readonly type: 'excluded' };

export interface Input {
  readonly self: NodeId;
  /** The other nodes, which are members or may become some. */
  readonly peers: readonly NodeId[];
  /** The members of view 1. */
  readonly founders: readonly NodeId[];
  /**
   * `fifo`: each member sends to all others. `total`: the smallest member of the view, its
   * sequencer, sends for all.
   */
  readonly order: 'fifo' | 'total';
  /** A member acknowledges each message of a stream whose position is a multiple of this. */
  readonly window: number;
  /** Whether newcomers get the state of the application. */
  readonly stateTransfer: boolean;
  /** With a detector: how long, in milliseconds, a node waits to join before it asks again. */
  readonly patience?: number;
  /** How often this node has started before: at its first start it may found a group. */
  readonly starts: number;
  /** The number of its last attempt to join, and of the last message that it has multicast. */
  readonly attempt: number;
  readonly sequence: number;
}

export interface Context extends Input {
  /** The last view that this node installed: its number, 0 before the first, and its members. */
  readonly number: number;
  readonly members: readonly NodeId[];
  readonly admitted: Attempts;
  /** By stream of this view: the position of the last message that has been delivered. */
  readonly delivered: Readonly<Record<NodeId, number>>;
  /** Messages of this view that may be missing at other members. */
  readonly log: readonly Entry[];
  /** By member: the last position in the stream of this node that it has acknowledged. */
  readonly acknowledged: Readonly<Record<NodeId, number>>;
  /**
   * Own messages that the sequencer has not sent yet; while a coordinator collects, those of
   * others, too.
   */
  readonly pending: readonly Multicast[];
  /** Own messages for the next view. */
  readonly queued: readonly Multicast[];
  /** Messages of a view that this node has not installed yet. */
  readonly early: readonly Received<Message>[];
  /** By node: how often it has crashed. */
  readonly crashes: Readonly<Record<NodeId, number>>;
  /** The nodes that have crashed, those that want to join, and the members that want to leave. */
  readonly down: readonly NodeId[];
  readonly joining: Attempts;
  readonly leaving: readonly NodeId[];
  /** The coordinator whose flush this node has answered, or itself; null: none in this view. */
  readonly coordinator: NodeId | null;
  /** At a coordinator: whose answers are missing, and who is to be a newcomer of the next view. */
  readonly awaiting: readonly NodeId[];
  readonly newcomers: Attempts;
  /** The decision that led to the view installed last; at a coordinator that has one, the next. */
  readonly decision: Decision | null;
}

/** DETECTOR-SUSPECT: from the failure detector, if it is a part of the node. */
export type Event =
  | Command
  | Received<Message | Present | Down>
  | { readonly type: 'detector-suspect'; readonly node: NodeId };

/**
 * What an action does: changes of the context, effects, and events that the node raises to itself.
 */
export interface Outcome {
  readonly change?: Partial<Context>;
  readonly effects?: readonly Effect<Message | Present, Notification>[];
  readonly raised?: readonly Event[];
}

export const toEach = (
  receivers: readonly NodeId[],
  message: Message | Present,
): readonly Effect<Message | Present, Notification>[] => receivers.map((to) => send(to, message));

export const without = (ids: readonly NodeId[], gone: readonly NodeId[]): readonly NodeId[] =>
  ids.filter((id) => !gone.includes(id));

/** The ids of both, in their order, each once. */
export const union = (ids: readonly NodeId[], others: readonly NodeId[]): readonly NodeId[] =>
  [...new Set([...ids, ...others])].sort();

export const othersOf = ({ self, members }: Context): readonly NodeId[] => without(members, [self]);

export const withoutKeys = (attempts: Attempts, gone: readonly NodeId[]): Attempts =>
  Object.fromEntries(Object.entries(attempts).filter(([id]) => !gone.includes(id)));

/** The nodes that have crashed, and have not come back with one of these attempts. */
export const stillDown = ({ down, crashes }: Context, attempts: Attempts): readonly NodeId[] =>
  down.filter(
    (id) => Math.floor((ofNode(attempts, id) ?? 0) / attemptsPerStart) < (ofNode(crashes, id) ?? 0),
  );

/** The smallest member that has not crashed, and does not try to join again. */
export const actingCoordinator = ({ members, down, joining }: Context): NodeId | undefined =>
  without(members, [...down, ...Object.keys(joining)])[0];

export const deliveryOf = (multicast: Multicast, view: number): Effect<Message, Notification> =>
  notify<Notification>({
    type: 'deliver',
    from: multicast.from,
    sequence: multicast.sequence,
    data: multicast.data,
    view,
  });
