/**
 * Permission of all nodes: requests, replies and deferral as in Ricart–Agrawala's algorithm (CACM
 * 24:1, 1981).
 */
import { type NodeId, type Received, send } from '@conclave/core/protocol';
import { assertEvent } from 'xstate';
import { ticked, witnessed } from '../../../clocks/clock.js';
import type { CancellableCommand } from '../../cancel.js';
import { isOlder } from './requests.js';

export interface Input {
  readonly self: NodeId;
  readonly peers: readonly NodeId[];
}

export interface OwnRequest extends Input {
  readonly clock: number;
  /** The time stamp of the latest own request. */
  readonly requestedAt: number;
  /** The nodes whose replies are still missing. */
  readonly awaiting: readonly NodeId[];
}

export interface Permissions extends OwnRequest {
  /** The nodes whose requests get their replies when this node leaves. */
  readonly deferred: readonly NodeId[];
}

interface Reply {
  readonly type: 'reply';
}

type Event =
  | CancellableCommand
  | { readonly type: 'share' }
  | Received<
      | { readonly type: 'request'; readonly ts: number }
      | Reply
      | { readonly type: 'ack' | 'inquire' }
    >;

interface Given<Context = OwnRequest> {
  readonly context: Context;
  readonly event: Event;
}

export const stamp = ({ context: { clock, peers } }: Given) => ({
  clock: ticked(clock),
  requestedAt: ticked(clock),
  awaiting: peers,
});

export const witness = ({ context, event }: Given) => {
  assertEvent(event, 'request');
  return { clock: witnessed(context.clock, event.ts) };
};

export const reply = ({ event }: Given): ReturnType<typeof send<Reply>> => {
  assertEvent(event, 'request');
  return send(event.from, { type: 'reply' });
};

export const defer = ({ context, event }: Given<Permissions>) => {
  assertEvent(event, 'request');
  return { deferred: [...context.deferred, event.from] };
};

interface Enqueue {
  readonly emit: (reply: ReturnType<typeof send<Reply>>) => void;
  readonly assign: (changed: Pick<Permissions, 'deferred'>) => void;
}

export const replyDeferred = ({
  context,
  enqueue,
}: {
  readonly context: Permissions;
  readonly enqueue: Enqueue;
}) => {
  for (const peer of context.deferred) enqueue.emit(send(peer, { type: 'reply' }));
  enqueue.assign({ deferred: [] });
};

export const crossOff = ({ context, event }: Given) => {
  assertEvent(event, 'reply');
  return { awaiting: context.awaiting.filter((peer) => peer !== event.from) };
};

export const allReplied = ({ context }: Given) => context.awaiting.length === 0;

export const oursIsOlder = ({ context, event }: Given) => {
  assertEvent(event, 'request');
  return isOlder({ ts: context.requestedAt, id: context.self }, { ts: event.ts, id: event.from });
};
