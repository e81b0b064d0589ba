/**
 * Multicast in one view: streams of numbered messages, and acknowledgements that make them stable.
 */

import { type NodeId, notify, send } from '@conclave/core/protocol';
import { byId, ofNode } from '../../by-node.js';
import {
  type Context,
  deliveryOf,
  type Entry,
  type Event,
  type Multicast,
  type Outcome,
  othersOf,
  toEach,
} from './member.js';

/**
 * The member that sends what this node multicasts: itself or, in total order, the smallest of the
 * view.
 */
export const streamOf = ({ self, order, members }: Context): NodeId =>
  order === 'total' ? (members[0] ?? self) : self;

const last = (numbers: Readonly<Record<NodeId, number>>, id: NodeId): number =>
  ofNode(numbers, id) ?? 0;

/** The last position of the own stream that every other member has acknowledged. */
const stableIn = (context: Context): number =>
  Math.min(...othersOf(context).map((id) => last(context.acknowledged, id)));

const isStable = ({ stream, position }: Entry, from: NodeId, stable: number): boolean =>
  stream === from && position <= stable;

/** Sends one message in the own stream. */
function publish(context: Context, multicast: Multicast): Outcome {
  const { self, number, delivered, log } = context;
  const { from: origin, sequence, data } = multicast;
  const position = last(delivered, self) + 1;
  const others = othersOf(context);
  const stable = others.length === 0 ? position : stableIn(context);
  return {
    change: {
      delivered: { ...delivered, [self]: position },
      log: others.length === 0 ? log : [...log, { ...multicast, stream: self, position }],
    },
    effects: [
      ...toEach(others, {
        type: 'message',
        view: number,
        position,
        origin,
        sequence,
        data,
        stable,
      }),
      deliveryOf(multicast, number),
    ],
  };
}

/** Sends an own message in this view: in the own stream, or by the sequencer. */
function sendInView(context: Context, multicast: Multicast): Outcome {
  const { self, number, pending } = context;
  const stream = streamOf(context);
  if (stream === self) return publish(context, multicast);
  const { sequence, data } = multicast;
  return {
    change: { pending: [...pending, multicast] },
    effects: [send(stream, { type: 'submit', view: number, sequence, data })],
  };
}

const ownMulticast = ({ self, sequence }: Context, event: Event): Multicast => {
  // the action of this event only
  const { data } = event as Extract<Event, { readonly type: 'multicast' }>;
  return { from: self, sequence: sequence + 1, data };
};

export function multicast(context: Context, event: Event): Outcome {
  const own = ownMulticast(context, event);
  const { change, effects = [] } = sendInView(context, own);
  return { change: { ...change, sequence: own.sequence }, effects };
}

/** Keeps an own message for the next view. */
export function queue(context: Context, event: Event): Outcome {
  const own = ownMulticast(context, event);
  return { change: { sequence: own.sequence, queued: [...context.queued, own] } };
}

/** Sends what was kept for this view. */
export function sendQueued(context: Context): Outcome {
  let now: Context = { ...context, queued: [] };
  const effects = context.queued.flatMap((one) => {
    const sent = sendInView(now, one);
    now = { ...now, ...sent.change };
    return sent.effects ?? [];
  });
  return { change: now, effects };
}

/** Sends the message of another member. */
export function publishSubmitted(context: Context, event: Event): Outcome {
  if (event.type !== 'submit') return {};
  const { from, sequence, data } = event;
  return publish(context, { from, sequence, data });
}

export function deliver(context: Context, event: Event): Outcome {
  if (event.type !== 'message') return {};
  const { self, number, window, delivered, log, pending } = context;
  const { from: stream, position, origin: from, sequence, data, stable } = event;
  const one = { from, sequence, data };
  return {
    change: {
      delivered: { ...delivered, [stream]: position },
      log: [
        ...log.filter((entry) => !isStable(entry, stream, stable)),
        { ...one, stream, position },
      ],
      pending: from === self ? pending.filter((own) => own.sequence !== sequence) : pending,
    },
    effects: [
      deliveryOf(one, number),
      ...(position % window === 0
        ? [send(stream, { type: 'acknowledge', view: number, position } as const)]
        : []),
    ],
  };
}

export function noteAcknowledgement(context: Context, event: Event): Outcome {
  if (event.type !== 'acknowledge') return {};
  const acknowledged = { ...context.acknowledged, [event.from]: event.position };
  const stable = stableIn({ ...context, acknowledged });
  return {
    change: {
      acknowledged,
      log: context.log.filter((entry) => !isStable(entry, context.self, stable)),
    },
  };
}

const byPosition = (one: Entry, other: Entry): number => {
  return byId(one.stream, other.stream) || one.position - other.position;
};

const isSame = (one: Multicast, other: Multicast): boolean =>
  one.from === other.from && one.sequence === other.sequence;

/** The messages of both logs, each once. */
export const merge = (log: readonly Entry[], other: readonly Entry[]): readonly Entry[] =>
  [...log, ...other.filter((entry) => !log.some((known) => isSame(known, entry)))].sort(byPosition);

/** The log, and behind it in the sequencer's stream what the sequencer has not sent. */
export function closed(context: Context): readonly Entry[] {
  const { log, pending, delivered } = context;
  const stream = streamOf(context);
  const positions = log.flatMap((entry) => (entry.stream === stream ? [entry.position] : []));
  const end = Math.max(last(delivered, stream), ...positions);
  const left = pending.filter((one) => !log.some((entry) => isSame(entry, one)));
  const ordered = left.toSorted(
    (one, other) => byId(one.from, other.from) || one.sequence - other.sequence,
  );
  return [...log, ...ordered.map((one, index) => ({ ...one, stream, position: end + index + 1 }))];
}

/** Delivers what this view still lacks before the next one. */
export function deliverRest({ number, delivered, decision }: Context): Outcome {
  const entries = decision?.number === number + 1 ? decision.entries : [];
  const missing = entries.filter(({ stream, position }) => position > last(delivered, stream));
  return {
    change: {
      delivered: {
        ...delivered,
        ...Object.fromEntries(missing.map(({ stream, position }) => [stream, position])),
      },
    },
    effects: missing.map((entry) => deliveryOf(entry, number)),
  };
}

export const tellWanted = ({ number }: Context): Outcome => ({
  effects: [notify({ type: 'snapshot-wanted', view: number + 1 })],
});
