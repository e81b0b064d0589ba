/** What the nodes of all variants of A9 do: messages, context, actions and guards. */
import { byId, entriesById } from '@conclave/core/internal/protocol';
import {
  type Chosen,
  choose,
  type Effect,
  type NodeId,
  type Received,
  send,
} from '@conclave/core/protocol';
import { assertEvent, setup } from 'xstate';
import type { Command } from '../../mutual-exclusion.js';
import { pointingTo } from '../building-blocks/edge-orientation.js';

/** What a node sends to learn where its edges point: the messages of the echo algorithm. */
export type WaveMessage =
  | { readonly type: 'wave-explorer'; readonly height: number }
  | { readonly type: 'wave-echo' };

/**
 * REVERSED is only sent where neighbours are told, ACKNOWLEDGED where they answer, and `entries` in
 * REVERSED with `reversal: 'numbered'`.
 */
export type Message =
  | { readonly type: 'request' }
  | { readonly type: 'token'; readonly entries: number }
  | { readonly type: 'reversed'; readonly entries?: number }
  | { readonly type: 'acknowledged' };

export interface Input {
  readonly self: NodeId;
  /**
   * The neighbours to which its edges point, the one to ask first; none where the token is at
   * first, and before a node knows its edges.
   */
  readonly out: readonly NodeId[];
  /** With `startUp: 'wave'`: whether the token is here at first. */
  readonly holder?: boolean;
}

export interface Context extends Input {
  /** The neighbours, and perhaps `self`, that want the token, in the order of their requests. */
  readonly queue: readonly NodeId[];
  /** The neighbours that have been told of a reversal and have not answered yet. */
  readonly unacknowledged: readonly NodeId[];
  /**
   * While the token is here: how many entries there have been. With `reversal: 'numbered'` how many
   * entries and visits, and while the token is elsewhere, the number that it had when it left.
   */
  readonly entries: number;
  /** During the start-up: the heights of the neighbours whose explorers have come. */
  readonly heights?: Readonly<Record<NodeId, number>>;
  /** During the start-up: the node's part in the wave. */
  readonly wave?: { readonly height: number } | null;
}

/**
 * A node raises `ask` where it needs the token; the edge that it asks over is the variant's choice.
 */
export type Event =
  | Command
  | Received<Message | WaveMessage>
  | Chosen<NodeId>
  | { readonly type: 'ask' | 'wave-start' };

const base = setup({
  types: {} as { input: Input; context: Context; events: Event; emitted: Effect<Message> },
});

const enqueue = base.assign(({ context, event }) => {
  assertEvent(event, 'request');
  return { queue: [...context.queue, event.from] };
});

const askFirst = base.enqueueActions(({ context: { out }, enqueue }) => {
  const [first] = out;
  if (first !== undefined) enqueue.emit(send(first, { type: 'request' }));
});

const askChosen = base.emit(({ event }) => {
  assertEvent(event, 'chosen');
  return send(event.value, { type: 'request' });
});

const takeToken = base.assign(({ event }) => {
  assertEvent(event, 'token');
  return { entries: event.entries };
});

const enter = base.assign(({ context }) => ({
  entries: context.entries + 1,
  queue: context.queue.filter((id) => id !== context.self),
}));

/** The sender of the token has turned its edge itself; the others in OUT have not. */
const toTell = ({ out }: Context, event: Event): readonly NodeId[] => {
  assertEvent(event, 'token');
  return out.filter((id) => id !== event.from);
};

const tell = base.enqueueActions(({ context, event, enqueue }) => {
  for (const id of toTell(context, event)) enqueue.emit(send(id, { type: 'reversed' }));
});

const tellNumber = base.enqueueActions(({ context, event, enqueue }) => {
  for (const id of toTell(context, event))
    enqueue.emit(send(id, { type: 'reversed', entries: context.entries }));
});

const pointBack = base.assign(({ context, event }) => {
  assertEvent(event, 'reversed');
  return { out: pointingTo(event.from, context.out) };
});

const acknowledge = base.emit(({ event }) => {
  assertEvent(event, 'reversed');
  return send(event.from, { type: 'acknowledged' });
});

const crossOff = base.assign(({ context, event }) => {
  assertEvent(event, 'acknowledged');
  return { unacknowledged: context.unacknowledged.filter((id) => id !== event.from) };
});

const noteHeight = base.assign(({ context, event }) => {
  assertEvent(event, 'wave-explorer');
  return {
    heights: Object.fromEntries(entriesById({ ...context.heights, [event.from]: event.height })),
  }; // equal heights have equal text
});

/**
 * The edges point to the neighbours with a lower (height, id). A child in the tree is higher, and
 * has sent no explorer.
 */
const orient = base.assign(({ context: { self, heights = {}, wave } }) => {
  const own = wave?.height ?? 0;
  const lower = Object.entries(heights).filter(
    ([id, height]) => height < own || (height === own && id < self),
  );
  return {
    out: lower
      .sort(([one, low], [other, high]) => low - high || byId(one, other))
      .map(([id]) => id),
    heights: {},
    wave: null,
  };
});

/** With `remember` the node keeps the number of the token that it passes on. */
const passOn = ({ remember }: { readonly remember: boolean }) =>
  base.enqueueActions(({ context: { queue, out, entries }, enqueue }) => {
    const [first, ...others] = queue;
    if (first === undefined) return;
    enqueue.emit(send(first, { type: 'token', entries }));
    enqueue.assign({ queue: others, out: pointingTo(first, out), entries: remember ? entries : 0 });
  });

export const node = base.extend({
  actions: {
    enqueueSelf: base.assign(({ context }) => ({ queue: [...context.queue, context.self] })),
    enqueue,
    ask: base.raise({ type: 'ask' }),
    askFirst,
    offerEdges: base.emit(({ context }) => choose(...context.out)),
    askChosen,
    takeToken,
    countVisit: base.assign(({ context }) => ({ entries: context.entries + 1 })),
    enter,
    turnEdges: base.assign({ out: [] }),
    tell,
    tellNumber,
    awaitAnswers: base.assign(({ context, event }) => ({ unacknowledged: toTell(context, event) })),
    pointBack,
    acknowledge,
    crossOff,
    startWave: base.raise({ type: 'wave-start' }),
    noteHeight,
    orient,
    passToken: passOn({ remember: false }),
    passTokenAndRemember: passOn({ remember: true }),
  },
  guards: {
    tokenIsHere: ({ context }) => context.out.length === 0,
    isHolder: ({ context }) => context.holder === true,
    waveIsOver: () => false, // a node that has no wave; see start-up.ts
    isWaiting: () => false,
    queueIsEmpty: ({ context }) => context.queue.length === 0,
    oneWaits: ({ context }) => context.queue.length === 1,
    ownTurn: ({ context }) => context.queue[0] === context.self,
    allAcknowledged: ({ context }) => context.unacknowledged.length === 0,
    isNews: ({ context, event }) => {
      assertEvent(event, 'reversed');
      return (event.entries ?? 0) > context.entries;
    },
  },
});

export const context = ({ input }: { readonly input: Input }): Context => ({
  ...input,
  queue: [],
  unacknowledged: [],
  entries: 0,
});
