/** Everybody's permission: how a node asks for it and gives it, as in Ricart–Agrawala's algorithm (CACM 24:1, 1981), whatever it is for. */
import { type NodeId, type Received, type Send, send } from '@conclave/core/protocol';
import { assertEvent } from 'xstate';
import type { Command } from '../../mutual-exclusion.js';
import { ticked, witnessed } from './lamport-clock.js';
import { isOlder } from './requests.js';

/** Who a node is, and whom it asks. */
export interface Input {
  readonly self: NodeId;
  readonly peers: readonly NodeId[];
}

/** What a node knows that has a wish, or had one. */
export interface OwnRequest extends Input {
  readonly clock: number;
  /** The clock's reading as the wish arose. */
  readonly requestedAt: number;
  /** Whose permission is still missing. */
  readonly awaiting: readonly NodeId[];
}

/** What a node knows, with those that wait for its own permission. */
export interface Permissions extends OwnRequest {
  readonly deferred: readonly NodeId[];
}

interface Reply {
  readonly type: 'reply';
}

type Event = Command | Received<{ readonly type: 'request'; readonly ts: number } | Reply | { readonly type: 'ack' | 'inquire' }>;

interface Given<Context = OwnRequest> {
  readonly context: Context;
  readonly event: Event;
}

export const stamp = ({ context }: Given) => ({
  clock: ticked(context.clock),
  requestedAt: ticked(context.clock),
  awaiting: context.peers,
});

export const witness = ({ context, event }: Given) => {
  assertEvent(event, 'request');
  return { clock: witnessed(context.clock, event.ts) };
};

export const reply = ({ event }: Given): Send<Reply> => {
  assertEvent(event, 'request');
  return send(event.from, { type: 'reply' });
};

export const defer = ({ context, event }: Given<Permissions>) => {
  assertEvent(event, 'request');
  return { deferred: [...context.deferred, event.from] };
};

interface Enqueue {
  readonly emit: (reply: Send<Reply>) => void;
  readonly assign: (changed: Pick<Permissions, 'deferred'>) => void;
}

export const replyDeferred = ({ context, enqueue }: { readonly context: Permissions; readonly enqueue: Enqueue }) => {
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
