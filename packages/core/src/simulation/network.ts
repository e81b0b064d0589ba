import type { EventObject } from 'xstate';
import type { Random } from '../base/random.js';
import type { Conditions } from '../channel/conditions.js';
import { viewOfNode } from '../protocol/check-properties.js';
import type { ChannelFault } from '../protocol/faults.js';
import type { NodeHistory } from '../protocol/history.js';
import type { Command, Json, Message, NodeId, Stimulus } from '../protocol/node.js';
import { causeOf, nodeStep } from '../protocol/node-step.js';
import type { InFlight, NodeView } from '../protocol/property.js';
import type { Protocol } from '../protocol/protocol.js';
import type { HostEffect } from '../protocol/step.js';
import type { Topology } from '../topology/topology.js';
import type { VirtualClock } from './clock.js';
import type { Interruption } from './crashes.js';
import type { Fault } from './faults.js';

/**
 * The nodes of a topology and the channels between them, while they run. A node is named by its
 * place in the topology.
 */
export interface Network {
  /** All nodes; made on first use. */
  readonly views: readonly NodeView[];
  view(node: number): NodeView;
  /** The place of a node in the topology; undefined for an unknown id. */
  placeOf(id: NodeId): number | undefined;
  /** Starts all nodes. */
  start(): void;
  /** Gives a node a command; a crashed node ignores it. */
  tell(node: number, command: Command): void;
  isCrashed(node: number): boolean;
  /** The tags of a node; none where it has crashed. */
  tagsOf(node: number): ReadonlySet<string>;
  crash(node: number): void;
  restart(node: number): void;
  change(conditions: Conditions): void;
  /**
   * Cuts or heals every channel between different groups; a channel cut twice must be healed twice.
   */
  partition(groups: readonly (readonly NodeId[])[], cut: boolean): void;
  /** The messages in flight. */
  inFlight(): Iterable<InFlight>;
  /** The messages that each node has sent and received, by place. */
  readonly loads: Loads;
  /** Steps that XState has confirmed; undefined where XState takes the steps. */
  readonly confirmed: number | undefined;
  stop(): void;
}

/** Messages sent and received, by the place of the node. */
export interface Loads {
  readonly sent: ArrayLike<number>;
  readonly received: ArrayLike<number>;
}

/** What a node is in at one moment. */
export type NodeState = Pick<NodeView, 'value' | 'context' | 'tags'>;

/**
 * A step: what the node reacted to, its state before (undefined at a start or restart) and after,
 * its history variable before, and the effects.
 */
export interface TakenStep {
  readonly stimulus: Stimulus;
  readonly before: NodeState | undefined;
  readonly after: NodeState;
  readonly past: Json | undefined;
  readonly effects: readonly HostEffect[];
}

/**
 * The events of a network. Nodes and channels are named by places, so that nothing is made where
 * nobody listens.
 */
export interface NetworkListener {
  /** Whether {@link took} is to be called. */
  readonly wantsSteps: boolean;
  /** A node begins a step; undefined for a start, a restart or a time-out. */
  stepped(event: EventObject | undefined): void;
  /** The step in full; its messages are not sent yet. */
  took(node: number, step: TakenStep): void;
  /**
   * Whether the node crashes in the middle of this step; if so, {@link interrupted} follows the
   * messages that it sends before.
   */
  crashIn(node: number, effects: readonly HostEffect[]): Interruption | undefined;
  /** The node is to crash now. */
  interrupted(node: number, by: Interruption): void;
  /**
   * The step is over, and its messages are in flight. `before`: the tags before the step; undefined
   * at a start or restart.
   */
  settled(node: number, before: ReadonlySet<string> | undefined, after: ReadonlySet<string>): void;
  sent(message: Message): void;
  delivered(from: number, to: number, message: Message): void;
  /** `message` is undefined where it was a frame of the reliable link below the protocol. */
  happened(fault: ChannelFault, from: NodeId, to: NodeId, message: Message | undefined): void;
  framed(): void;
  toggled(from: NodeId, to: NodeId, cut: boolean): void;
  failed(error: unknown): void;
}

/** What a network is made of. */
export interface NetworkOptions {
  readonly protocol: Protocol;
  readonly topology: Topology;
  readonly clock: VirtualClock;
  /** For the channels. */
  readonly random: Random;
  /** How many milliseconds a timer of `delay` takes on the clock of a node. */
  readonly durationOf: (node: number, delay: number) => number;
  /** For the `choose` effects. */
  readonly choices: Random;
  readonly conditions: Conditions;
  /** Whether contexts and messages are frozen, so that a machine cannot change them. */
  readonly freezes: boolean;
  readonly partitions: readonly Partition[];
}

export type Partition = Fault & { readonly kind: 'partition' };

/**
 * The history variable of a node after a step; a start or restart is none. `label`: what the
 * received message carries along.
 */
export function historyAfter(
  history: NodeHistory,
  protocol: Protocol,
  { id, role }: Pick<NodeView, 'id' | 'role'>,
  { stimulus, before, after, past, effects }: TakenStep,
  label: Json | undefined,
): Json | undefined {
  const cause = before && causeOf(stimulus);
  if (!before || !cause || past === undefined) return past;
  const was = viewOfNode(protocol, id, role, before, past);
  const is = viewOfNode(protocol, id, role, after, undefined);
  return history.after(past, {
    ...nodeStep(was, is, cause, effects),
    ...(label === undefined ? {} : { label }),
  });
}
