import type { EventObject } from 'xstate';
import type { NodeId } from '../base/node-id.js';

export type { NodeId };

/** Plain data: what a context, a message and a trace may hold. */
export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [key: string]: Json };

/** What nodes send each other: a `type` in kebab-case and plain-data fields. */
export interface Message {
  readonly type: string;
}

/** What an application tells a node, such as `acquire` or `elect`. */
export interface Command {
  readonly type: string;
}

/** A message as its receiver sees it. `from` is stamped by the host, never by the sender. */
export type Received<M extends Message> = M extends unknown ? M & { readonly from: NodeId } : never;

/** The host's answer to {@link choose}. */
export interface Chosen<V extends Json = Json> {
  readonly type: 'chosen';
  readonly value: V;
}

/** What a machine may `emit`. Timers are not emitted: a machine waits by `after`. */
export type Effect<M extends Message = Message, N extends Message = never> =
  /** Asks the host to carry `message` to node `to`. */
  | { readonly type: 'send'; readonly to: NodeId; readonly message: M }
  /** A notification to the application that embeds the node. */
  | { readonly type: 'notify'; readonly notification: N }
  /**
   * Asks the host to pick one of `options`: the simulation picks by its seed, the explorer tries
   * each. With `weights` it is a random draw: an option has the probability of its weight among all;
   * without, nothing is known of how the host picks.
   */
  | {
      readonly type: 'choose';
      readonly options: readonly Json[];
      readonly weights?: readonly number[];
    };

/**
 * The effect of sending `message` to node `to`.
 *
 * @example emit(({ context }) => send(context.next, { type: 'election', id: context.self }))
 */
export function send<M extends Message>(to: NodeId, message: M): Effect<M> {
  return { type: 'send', to, message };
}

/** The effect of telling the application `notification`. */
export function notify<N extends Message>(notification: N): Effect<never, N> {
  return { type: 'notify', notification };
}

/**
 * The effect of asking the host for one of `options`; it answers with a {@link Chosen} event before
 * any other.
 */
export function choose(...options: readonly Json[]): Effect<never> {
  return { type: 'choose', options };
}

/**
 * The effect of asking the host for a random one of `options`, as {@link choose}: each is as likely
 * as its weight, a positive whole number, says; equally likely by default. What a run costs in
 * expectation is known for draws only.
 *
 * @example emit(draw(['heads', 'tails']))
 */
export function draw(
  options: readonly Json[],
  { weights = options.map(() => 1) }: { readonly weights?: readonly number[] } = {},
): Effect<never> {
  return { type: 'choose', options, weights };
}

/**
 * What a record has for node `id`; undefined where it has nothing. `record[id]` would find what
 * every object has, for a node with a name such as `constructor`.
 *
 * @example const count = ofNode(counts, event.from) ?? 0
 */
export const ofNode = <T>(record: Readonly<Record<NodeId, T>>, id: NodeId): T | undefined =>
  Object.hasOwn(record, id) ? record[id] : undefined;

/** What the machine reacts to: its start or restart, an event, or one of its own timers. */
export type Stimulus =
  | { readonly kind: 'start' | 'restart' }
  | { readonly kind: 'event'; readonly event: EventObject }
  | { readonly kind: 'timeout'; readonly timer: string };
