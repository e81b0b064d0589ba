/**
 * Mutual exclusion by a token on a directed acyclic graph (F. Mattern's lecture notes, a
 * generalisation of A7 to any connected graph). At most 2(n−1) messages per entry, and those that
 * tell neighbours; reliable channels, any order. Rules AG1–AG11, GR1–GR3 for `greedy`: README.md
 */

import {
  type Chosen,
  choose,
  type Effect,
  type NodeId,
  type Received,
  send,
} from '@conclave/core/protocol';
import { type AnyStateMachine, and, assertEvent, not, setup } from 'xstate';
import { byId, entriesById } from '../../../by-node.js';
import { type OptionSchemas, oneOf } from '../../../options.js';
import type { Command } from '../../mutual-exclusion.js';
import { pointingTo } from '../building-blocks/edge-orientation.js';
import {
  type Options as GreedyOptions,
  greedyOptions,
  inBunches,
} from '../building-blocks/greedy.js';

export type Options = GreedyOptions & {
  /**
   * What happens to the edges that pointed away from the node at which the token arrives.
   *
   * `travelled` (default): only the edge over which the token came is reversed, the others are
   * removed. `acknowledged`: the neighbours are told and reverse the others; the token stays until
   * they have answered. `numbered`: they are told, and ignore old news by its number. `all`: they
   * are told, and nothing else; this variant violates liveness.
   */
  readonly reversal?: 'travelled' | 'all' | 'acknowledged' | 'numbered';
  /**
   * Over which outgoing edge a node asks: the `first` (default), or `any`, which the host chooses.
   */
  readonly edge?: 'first' | 'any';
  /**
   * How the nodes learn where their edges point: `wave` (default) from an echo wave of the node
   * with the token; `given` by their input, as if a wave had found shortest paths.
   */
  readonly startUp?: 'given' | 'wave';
};

// What the nodes of all variants of A9 do: messages, context, actions and guards.

/** What a node sends to learn where its edges point: the messages of the echo algorithm. */
type WaveMessage =
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

interface Input {
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

const id = 'acyclic-graph';

type Arrival = 'takeToken' | 'countVisit' | 'tell' | 'tellNumber' | 'turnEdges';

type Passing = 'passToken' | 'passTokenAndRemember';

/**
 * The token goes on at once. What a node does when it arrives and when it is passed on depends on
 * the variant.
 */
const immediate = (arrive: readonly Arrival[], passToken: Passing) =>
  node.createStateConfig({
    initial: 'released',
    states: {
      released: {
        initial: 'away',
        states: {
          away: {
            always: { guard: 'tokenIsHere', target: 'here' },
            on: {
              acquire: { target: '#wanted', actions: ['enqueueSelf', 'ask'], description: 'AG1' },
              request: { target: 'asked', actions: ['enqueue', 'ask'], description: 'AG2' },
            },
          },
          asked: {
            on: {
              acquire: { target: '#wanted', actions: 'enqueueSelf', description: 'AG1' },
              request: { actions: 'enqueue', description: 'AG2' },
              token: { target: 'passing', actions: arrive, description: 'AG6' },
            },
          },
          passing: {
            always: [
              { guard: 'oneWaits', target: 'away', actions: passToken, description: 'AG4' },
              { target: 'asked', actions: [passToken, 'ask'], description: 'AG4' },
            ],
          },
          here: {
            tags: 'token',
            on: {
              acquire: { target: '#held', actions: 'enter', description: 'AG1' },
              request: { target: 'passing', actions: 'enqueue', description: 'AG3' },
            },
          },
        },
      },
      wanted: {
        id: 'wanted',
        tags: 'waiting',
        on: {
          request: { actions: 'enqueue', description: 'AG2' },
          token: [
            {
              guard: 'ownTurn',
              target: 'held',
              actions: [...arrive, 'enter'],
              description: 'AG5, AG6',
            },
            { actions: [...arrive, passToken, 'ask'], description: 'AG4, AG6' },
          ],
        },
      },
      held: {
        id: 'held',
        tags: ['critical', 'token'],
        on: {
          request: { actions: 'enqueue', description: 'AG2' },
          release: [
            { guard: 'queueIsEmpty', target: 'released.here', description: 'AG5' },
            { target: 'released.passing', description: 'AG5' },
          ],
        },
      },
    },
  });

/** The token stays until the neighbours that are told have answered. */
const acknowledged = node.createStateConfig({
  initial: 'released',
  states: {
    released: {
      initial: 'away',
      states: {
        away: {
          always: { guard: 'tokenIsHere', target: 'here' },
          on: {
            acquire: { target: '#wanted', actions: ['enqueueSelf', 'ask'], description: 'AG1' },
            request: { target: 'asked', actions: ['enqueue', 'ask'], description: 'AG2' },
            reversed: { actions: ['pointBack', 'acknowledge'], description: 'AG7, AG8' },
          },
        },
        asked: {
          on: {
            acquire: { target: '#wanted', actions: 'enqueueSelf', description: 'AG1' },
            request: { actions: 'enqueue', description: 'AG2' },
            token: {
              target: 'settling',
              actions: ['takeToken', 'tell', 'awaitAnswers', 'turnEdges'],
              description: 'AG6',
            },
            reversed: { actions: ['pointBack', 'acknowledge'], description: 'AG7, AG8' },
          },
        },
        settling: {
          tags: 'token',
          always: [
            {
              guard: and(['allAcknowledged', 'oneWaits']),
              target: 'away',
              actions: 'passToken',
              description: 'AG4, AG8',
            },
            {
              guard: 'allAcknowledged',
              target: 'asked',
              actions: ['passToken', 'ask'],
              description: 'AG4, AG8',
            },
          ],
          on: {
            acquire: { target: '#wanted.settling', actions: 'enqueueSelf', description: 'AG1' },
            request: { actions: 'enqueue', description: 'AG2' },
            acknowledged: { actions: 'crossOff', description: 'AG8' },
          },
        },
        here: {
          tags: 'token',
          on: {
            acquire: { target: '#held', actions: 'enter', description: 'AG1' },
            request: { target: 'settling', actions: 'enqueue', description: 'AG3' },
            acknowledged: { actions: 'crossOff', description: 'AG8' },
          },
        },
      },
    },
    wanted: {
      id: 'wanted',
      tags: 'waiting',
      initial: 'asked',
      states: {
        asked: {
          on: {
            request: { actions: 'enqueue', description: 'AG2' },
            token: [
              {
                guard: 'ownTurn',
                target: '#held',
                actions: ['takeToken', 'tell', 'awaitAnswers', 'turnEdges', 'enter'],
                description: 'AG5, AG6',
              },
              {
                target: 'settling',
                actions: ['takeToken', 'tell', 'awaitAnswers', 'turnEdges'],
                description: 'AG6',
              },
            ],
            reversed: { actions: ['pointBack', 'acknowledge'], description: 'AG7, AG8' },
          },
        },
        settling: {
          tags: 'token',
          always: {
            guard: 'allAcknowledged',
            target: 'asked',
            actions: ['passToken', 'ask'],
            description: 'AG4, AG8',
          },
          on: {
            request: { actions: 'enqueue', description: 'AG2' },
            acknowledged: { actions: 'crossOff', description: 'AG8' },
          },
        },
      },
    },
    held: {
      id: 'held',
      tags: ['critical', 'token'],
      on: {
        request: { actions: 'enqueue', description: 'AG2' },
        acknowledged: { actions: 'crossOff', description: 'AG8' },
        release: [
          { guard: 'queueIsEmpty', target: 'released.here', description: 'AG5' },
          { target: 'released.settling', description: 'AG5' },
        ],
      },
    },
  },
});

/** What a node does about the news of a reversal, wherever it is. */
const believe = { reversed: { actions: 'pointBack', description: 'AG7' } } as const;

const compare = {
  reversed: [
    { guard: 'isNews', actions: 'pointBack', description: 'AG7' },
    { description: 'AG7: the token has been here since' },
  ],
} as const;

/** Over which outgoing edge a node asks: the first, or the one that the host chooses. */
const overEdge = (
  variant: ReturnType<typeof immediate> | typeof acknowledged,
  on: typeof believe | typeof compare | Record<never, never> = {},
) => ({
  first: node.createMachine({
    id,
    context,
    ...variant,
    on: { ...on, ask: { actions: 'askFirst' } },
  }),
  any: node.createMachine({
    id,
    context,
    ...variant,
    on: {
      ...on,
      ask: { actions: 'offerEdges' },
      chosen: { actions: 'askChosen', description: 'AG1, AG2' },
    },
  }),
});

/** By the options `reversal` and `edge`: nodes that know their edges. */
export const statecharts = {
  travelled: overEdge(immediate(['takeToken', 'turnEdges'], 'passToken')),
  all: overEdge(immediate(['takeToken', 'tell', 'turnEdges'], 'passToken'), believe),
  acknowledged: overEdge(acknowledged),
  numbered: overEdge(
    immediate(['takeToken', 'countVisit', 'tellNumber', 'turnEdges'], 'passTokenAndRemember'),
    compare,
  ),
};

/** The machine with `greedy`, of one of these. */
export const greedyMachine = (machine: AnyStateMachine): AnyStateMachine =>
  inBunches(machine, { othersWait: not('queueIsEmpty') });

export const acyclicGraphOptions: OptionSchemas<Options> = {
  reversal: oneOf(
    Object.keys(statecharts),
    'which edges are reversed: travelled, acknowledged, numbered, or all, which is wrong',
  ),
  edge: oneOf(['first', 'any'], 'the outgoing edge over which a node asks: first or any'),
  startUp: oneOf(
    ['given', 'wave'],
    'how nodes learn their edges: wave, from an echo wave, or given',
  ),
  ...greedyOptions,
};
