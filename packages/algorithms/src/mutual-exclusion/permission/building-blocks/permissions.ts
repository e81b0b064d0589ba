/**
 * Permission of all nodes: requests, replies and deferral as in Ricart–Agrawala's algorithm (CACM
 * 24:1, 1981).
 */
import {
  everyStep,
  type Message,
  type NodeId,
  type NodeStep,
  type NodeView,
  type Property,
  type Received,
  send,
} from '@conclave/core/protocol';
import { assertEvent } from 'xstate';
import { ticked, witnessed } from '../../../clocks/clock.js';
import { receivedIn, sameIds, sentIn } from '../../../steps.js';
import type { CancellableCommand } from '../../cancel.js';
import { isRequested } from '../../mutual-exclusion.js';

/** A node that requests entry, and the reading of its clock at that time. */
export interface Request {
  readonly ts: number;
  readonly id: NodeId;
}

/**
 * Lamport's total order on requests (CACM 21:7, 1978): the smaller time stamp is the older; equal
 * stamps are ordered by id.
 */
export const isOlder = (one: Request, other: Request): boolean =>
  one.ts < other.ts || (one.ts === other.ts && one.id < other.id);

/** `queue`, in that order, with `request` in its place. */
export const insert = (queue: readonly Request[], request: Request): readonly Request[] => {
  const younger = queue.findIndex((other) => isOlder(request, other));
  return younger < 0
    ? [...queue, request]
    : [...queue.slice(0, younger), request, ...queue.slice(younger)];
};

/** A number for each request of one of `nodes`, in the order of {@link isOlder}. */
export const numberOf = ({ ts, id }: Request, nodes: readonly NodeId[]): number =>
  ts * nodes.length + nodes.filter((other) => other < id).length;

/**
 * The number of a request with the stamp `ts` of a node with `peers`: a fencing token where entries
 * are in the order of requests.
 */
export const fenceOf = (ts: unknown, { id, context: { peers } }: NodeView): number =>
  numberOf({ ts: Number(ts), id }, [id, ...(Array.isArray(peers) ? peers.map(String) : [])]);

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

// Properties of each step of nodes with Lamport clocks (CACM 21:7, 1978, IR1 and IR2).

const clockOf = ({ context }: NodeView): number => Number(context.clock);

/** The time stamp of a message. */
export const stampOf = (message: Message): number =>
  'ts' in message ? Number(message.ts) : Number.NaN;

/**
 * The least reading of the clock after a step, where messages of the types `stamped` carry a time
 * stamp.
 */
function leastReading(step: NodeStep, stamped: readonly string[]): number {
  const was = clockOf(step.before);
  const received = receivedIn(step, ...stamped);
  if (received) return witnessed(was, stampOf(received));
  return isRequested(step) ? ticked(was) : was;
}

/**
 * The paper lets clocks jump; without jumps a reading is the length of the longest chain of events
 * that happened before.
 */
export const clockTicks = (stamped: readonly string[]): Property =>
  everyStep('a clock passes every time stamp received, and never jumps ahead', (step) => {
    const [was, is, from] = [
      clockOf(step.before),
      clockOf(step.after),
      leastReading(step, stamped),
    ];
    return is === from || (from === was && is === ticked(was));
  });

/** RA1, LA1. */
export const requestGoesToAll: Property = everyStep(
  'a request goes once to each other node, with a larger time stamp than every earlier one of its node',
  (step) => {
    const { before, after, sent } = step;
    return (
      !isRequested(step) ||
      (sameIds(
        sent.map(({ to }) => to),
        after.context.peers,
      ) &&
        sent.every(
          ({ message }) =>
            message.type === 'request' &&
            stampOf(message) === clockOf(after) &&
            clockOf(after) > clockOf(before),
        ))
    );
  },
);

/** A node, with the time stamp of its request where `of` has it. */
const nameOf = (id: NodeId, of: object): string => ('ts' in of ? `${id} ${of.ts}` : id);
const deferredBy = ({ context: { deferred } }: NodeView): readonly string[] =>
  (Array.isArray(deferred) ? deferred : []).map((one: unknown) =>
    typeof one === 'object' && one !== null && 'id' in one
      ? nameOf(String(one.id), one)
      : String(one),
  );
const repliesIn = (step: NodeStep): readonly string[] =>
  sentIn(step, 'reply').map(({ to, message }) => nameOf(to, message));

const answeredOnce = (stamped: boolean): Property =>
  everyStep('each request gets one reply: immediately, or later after a deferral', (step) => {
    const { before, after } = step;
    const request = receivedIn(step, 'request');
    const requests = request ? [nameOf(request.from, stamped ? request : {})] : [];
    return sameIds(
      [...deferredBy(before), ...requests],
      [...repliesIn(step), ...deferredBy(after)],
    );
  });

const nothingLeft = everyStep(
  'a node defers requests only while it waits or is in the critical section',
  ({ after }) =>
    after.tags.has('waiting') || after.tags.has('critical') || deferredBy(after).length === 0,
);

const allPermit = everyStep(
  'a node in the critical section awaits no reply',
  ({ after: { tags, context } }) =>
    !tags.has('critical') || (Array.isArray(context.awaiting) && context.awaiting.length === 0),
);

/** `stamped`: replies carry the time stamps of the requests. */
export const permissionRules = ({
  stamped = false,
}: {
  readonly stamped?: boolean;
} = {}): readonly Property[] => [
  requestGoesToAll,
  answeredOnce(stamped),
  nothingLeft,
  allPermit,
  clockTicks(['request']),
];
