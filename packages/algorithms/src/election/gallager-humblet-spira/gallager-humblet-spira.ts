/**
 * Election by the minimum spanning tree of Gallager, Humblet and Spira (TOPLAS 5:1, 1983). Any
 * connected graph, FIFO; at most 2e + 5n⌊log₂ n⌋ messages, and n − 2 to announce. Rules GHS1–GHS15:
 * README.md
 */

import { type Effect, type NodeId, type Received, send } from '@conclave/core/protocol';
import { and, assertEvent, not, setup } from 'xstate';
import { ofNode } from '../../by-node.js';
import type { Command } from '../election.js';

// What the statechart of Gallager–Humblet–Spira is made of: messages, context, actions and guards,
// with the paper's names.

/** The name of a fragment is the weight of its core; a single node has none. */
type Fragment = number | null;

/** A weight is the rank of an edge; null stands for ∞. */
type Weight = number | null;

export type Message =
  | { readonly type: 'connect'; readonly level: number }
  | {
      readonly type: 'initiate';
      readonly level: number;
      readonly fragment: number;
      readonly state: 'find' | 'found';
    }
  | { readonly type: 'test'; readonly level: number; readonly fragment: number }
  | { readonly type: 'accept' }
  | { readonly type: 'reject' }
  | { readonly type: 'report'; readonly weight: Weight }
  | { readonly type: 'change-root' }
  | { readonly type: 'elected'; readonly id: NodeId };

type Deferred = Extract<Received<Message>, { readonly type: 'connect' | 'test' | 'report' }>;

interface Input {
  readonly self: NodeId;
  /** Of the edge to each neighbour. */
  readonly weights: Readonly<Record<NodeId, number>>;
}

export interface Context extends Input {
  /**
   * SE: `basic`: nothing is known; `branch`: in the tree; `rejected`: inside the fragment, but not
   * in the tree.
   */
  readonly edges: Readonly<Record<NodeId, 'basic' | 'branch' | 'rejected'>>;
  /** LN. */
  readonly level: number;
  /** FN. */
  readonly fragment: Fragment;
  /** The branch towards the core; at the two ends of the core, the core itself. */
  readonly inBranch: NodeId | null;
  readonly testEdge: NodeId | null;
  /**
   * best-edge and best-wt: the edge on the way to the smallest outgoing edge known, and the weight
   * of that; null: none is known.
   */
  readonly best: { readonly edge: NodeId; readonly weight: number } | null;
  /** How many branches are to report. */
  readonly findCount: number;
  /** Messages to look at again later, the oldest first. */
  readonly deferred: readonly Deferred[];
  readonly leader: NodeId | null;
}

export type Event = Command | Received<Message>;

const base = setup({
  types: {} as { input: Input; context: Context; events: Event; emitted: Effect<Message> },
});

/** ∞ is larger than all weights. */
const isSmaller = (one: Weight, other: Weight): boolean =>
  one !== null && (other === null || one < other);

const weightOf = ({ weights }: Input, id: NodeId): number => ofNode(weights, id) ?? 0;

/** The neighbours over edges of this kind, the smallest weight first. */
const over = (context: Context, kind: 'basic' | 'branch'): readonly NodeId[] =>
  Object.keys(context.edges)
    .filter((id) => context.edges[id] === kind)
    .sort((one, other) => weightOf(context, one) - weightOf(context, other));

const others = (context: Context, from: NodeId): readonly NodeId[] =>
  over(context, 'branch').filter((id) => id !== from);

/** Whether the node can act on a deferred message now. */
const isReady =
  ({ level, edges, testEdge, findCount }: Context) =>
  (message: Deferred): boolean => {
    if (message.type === 'connect') return message.level < level || edges[message.from] !== 'basic';
    return message.type === 'test' ? message.level <= level : testEdge === null && findCount === 0;
  };

const wakeUp = base.enqueueActions(({ context, enqueue }) => {
  const [smallest] = over(context, 'basic');
  if (smallest === undefined) return;
  enqueue.assign({ edges: { ...context.edges, [smallest]: 'branch' } });
  enqueue.emit(send(smallest, { type: 'connect', level: 0 }));
});

const defer = base.assign(({ context, event }) => {
  assertEvent(event, ['connect', 'test', 'report']);
  return { deferred: [...context.deferred, event] };
});

const examine = base.enqueueActions(({ context, enqueue }) => {
  const message = context.deferred.find(isReady(context));
  if (message === undefined) return;
  enqueue.assign({ deferred: context.deferred.filter((other) => other !== message) });
  enqueue.raise(message);
});

const addBranch = base.assign(({ context, event }) => {
  assertEvent(event, 'connect');
  return { edges: { ...context.edges, [event.from]: 'branch' as const } };
});

const initiateFind = base.enqueueActions(
  ({ context: { level, fragment, findCount }, event, enqueue }) => {
    assertEvent(event, 'connect');
    enqueue.emit(
      send(event.from, { type: 'initiate', level, fragment: fragment ?? 0, state: 'find' }),
    );
    enqueue.assign({ findCount: findCount + 1 });
  },
);

const initiateFound = base.emit(({ context: { level, fragment }, event }) => {
  assertEvent(event, 'connect');
  return send(event.from, { type: 'initiate', level, fragment: fragment ?? 0, state: 'found' });
});

const merge = base.emit(({ context, event }) => {
  assertEvent(event, 'connect');
  return send(event.from, {
    type: 'initiate',
    level: context.level + 1,
    fragment: weightOf(context, event.from),
    state: 'find',
  });
});

const join = base.assign(({ event }) => {
  assertEvent(event, 'initiate');
  return { level: event.level, fragment: event.fragment, inBranch: event.from, best: null };
});

const spread = base.enqueueActions(({ context, event, enqueue }) => {
  assertEvent(event, 'initiate');
  const { level, fragment, state, from } = event;
  const to = others(context, from);
  for (const id of to) enqueue.emit(send(id, { type: 'initiate', level, fragment, state }));
  enqueue.assign({ findCount: state === 'find' ? to.length : 0 });
});

const test = base.enqueueActions(({ context, enqueue }) => {
  const [smallest] = over(context, 'basic');
  if (smallest === undefined) return;
  enqueue.assign({ testEdge: smallest });
  enqueue.emit(
    send(smallest, { type: 'test', level: context.level, fragment: context.fragment ?? 0 }),
  );
});

const endTest = base.assign({ testEdge: null });

const accept = base.emit(({ event }) => {
  assertEvent(event, 'test');
  return send(event.from, { type: 'accept' });
});

const rejectEdge = base.assign(({ context: { edges }, event }) => {
  assertEvent(event, ['test', 'reject']);
  return edges[event.from] === 'basic'
    ? { edges: { ...edges, [event.from]: 'rejected' as const } }
    : {};
});

const reject = base.emit(({ event }) => {
  assertEvent(event, 'test');
  return send(event.from, { type: 'reject' });
});

/** The best edge, if that of this weight is taken into account. */
const better = ({ best }: Context, edge: NodeId, weight: Weight): Context['best'] =>
  weight !== null && isSmaller(weight, best?.weight ?? null) ? { edge, weight } : best;

const noteOutgoing = base.assign(({ context, event }) => {
  assertEvent(event, 'accept');
  return { best: better(context, event.from, weightOf(context, event.from)) };
});

const noteReport = base.assign(({ context, event }) => {
  assertEvent(event, 'report');
  return { best: better(context, event.from, event.weight) };
});

const countReport = base.assign(({ context }) => ({ findCount: context.findCount - 1 }));

const report = base.emit(({ context: { inBranch, best } }) =>
  send(inBranch ?? '', { type: 'report', weight: best?.weight ?? null }),
);

const changeRoot = base.enqueueActions(({ context: { best, edges, level }, enqueue }) => {
  if (best === null) return;
  if (edges[best.edge] === 'branch') enqueue.emit(send(best.edge, { type: 'change-root' }));
  else {
    enqueue.emit(send(best.edge, { type: 'connect', level }));
    enqueue.assign({ edges: { ...edges, [best.edge]: 'branch' } });
  }
});

const learn = base.assign(({ context: { self }, event }) => {
  if (event.type === 'elected') return { leader: event.id };
  return { leader: 'from' in event && event.from > self ? event.from : self };
});

const tell = base.enqueueActions(({ context, event, enqueue }) => {
  assertEvent(event, ['report', 'elected']);
  for (const id of others(context, event.from))
    enqueue.emit(send(id, { type: 'elected', id: context.leader ?? '' }));
});

const node = base.extend({
  actions: {
    ...{
      wakeUp,
      defer,
      examine,
      addBranch,
      initiateFind,
      initiateFound,
      merge,
      join,
      spread,
      test,
      endTest,
      accept,
      rejectEdge,
      reject,
    },
    ...{ noteOutgoing, noteReport, countReport, report, changeRoot, learn, tell },
  },
  guards: {
    isAlone: ({ context }) => Object.keys(context.weights).length === 0,
    oneIsReady: ({ context }) => context.deferred.some(isReady(context)),
    toFind: ({ event }) => {
      assertEvent(event, 'initiate');
      return event.state === 'find';
    },
    fromHigherLevel: ({ context, event }) => {
      assertEvent(event, 'test');
      return event.level > context.level;
    },
    fromLowerLevel: ({ context, event }) => {
      assertEvent(event, 'connect');
      return event.level < context.level;
    },
    fromOwnFragment: ({ context, event }) => {
      assertEvent(event, 'test');
      return event.fragment === context.fragment;
    },
    overTestEdge: ({ context, event }) => {
      assertEvent(event, 'test');
      return event.from === context.testEdge;
    },
    overInBranch: ({ context, event }) => {
      assertEvent(event, 'report');
      return event.from === context.inBranch;
    },
    overBranch: ({ context, event }) => {
      assertEvent(event, 'connect');
      return context.edges[event.from] === 'branch';
    },
    hasBasicEdge: ({ context }) => over(context, 'basic').length > 0,
    allReported: ({ context }) => context.findCount === 0,
    largerThanBest: ({ context, event }) => {
      assertEvent(event, 'report');
      return isSmaller(context.best?.weight ?? null, event.weight);
    },
    smallerThanBest: ({ context, event }) => {
      assertEvent(event, 'report');
      return isSmaller(event.weight, context.best?.weight ?? null);
    },
    fromSmallerId: ({ context, event }) => {
      assertEvent(event, 'report');
      return event.from < context.self;
    },
  },
});

export const machine = node.createMachine({
  id: 'gallager-humblet-spira',
  context: ({ input }) => ({
    ...input,
    edges: Object.fromEntries(Object.keys(input.weights).map((id) => [id, 'basic'])),
    level: 0,
    fragment: null,
    inBranch: null,
    testEdge: null,
    best: null,
    findCount: 0,
    deferred: [],
    leader: null,
  }),
  initial: 'sleeping',
  states: {
    sleeping: {
      on: {
        elect: [
          { guard: 'isAlone', target: 'leader', actions: 'learn', description: 'GHS1' },
          { target: 'fragment', actions: 'wakeUp', description: 'GHS1' },
        ],
        connect: { target: 'fragment', actions: ['wakeUp', 'defer'], description: 'GHS2' },
        test: { target: 'fragment', actions: ['wakeUp', 'defer'], description: 'GHS2' },
      },
    },
    fragment: {
      tags: 'waiting',
      initial: 'found',
      always: { guard: 'oneIsReady', actions: 'examine', description: 'GHS3' },
      on: {
        elect: { description: 'GHS1: it takes part already' },
        test: [
          { guard: 'fromHigherLevel', actions: 'defer', description: 'GHS3' },
          { guard: not('fromOwnFragment'), actions: 'accept', description: 'GHS8' },
          { actions: ['rejectEdge', 'reject'], description: 'GHS8' },
        ],
      },
      states: {
        find: {
          initial: 'probing',
          on: {
            connect: [
              {
                guard: 'fromLowerLevel',
                actions: ['addBranch', 'initiateFind'],
                description: 'GHS4',
              },
              { actions: 'defer', description: 'GHS3' },
            ],
            report: [
              { guard: 'overInBranch', actions: 'defer', description: 'GHS3' },
              { actions: ['noteReport', 'countReport'], description: 'GHS10' },
            ],
          },
          states: {
            probing: {
              always: [
                { guard: 'hasBasicEdge', target: 'testing', actions: 'test', description: 'GHS7' },
                { target: 'collecting', description: 'GHS7' },
              ],
            },
            testing: {
              on: {
                accept: {
                  target: 'collecting',
                  actions: ['noteOutgoing', 'endTest'],
                  description: 'GHS9',
                },
                reject: {
                  target: 'probing',
                  actions: ['rejectEdge', 'endTest'],
                  description: 'GHS9',
                },
                test: {
                  guard: and(['fromOwnFragment', 'overTestEdge']),
                  target: 'probing',
                  actions: ['rejectEdge', 'endTest'],
                  description: 'GHS8',
                },
              },
            },
            collecting: {
              always: {
                guard: 'allReported',
                target: '#found',
                actions: 'report',
                description: 'GHS11',
              },
            },
          },
        },
        found: {
          id: 'found',
          on: {
            connect: [
              {
                guard: 'fromLowerLevel',
                actions: ['addBranch', 'initiateFound'],
                description: 'GHS4',
              },
              { guard: 'overBranch', actions: 'merge', description: 'GHS5' },
              { actions: 'defer', description: 'GHS3' },
            ],
            initiate: [
              { guard: 'toFind', target: 'find', actions: ['join', 'spread'], description: 'GHS6' },
              { actions: ['join', 'spread'], description: 'GHS6' },
            ],
            report: [
              { guard: 'largerThanBest', actions: 'changeRoot', description: 'GHS12' },
              {
                guard: 'smallerThanBest',
                description: 'GHS12: the smaller one is on the other side of the core',
              },
              {
                guard: 'fromSmallerId',
                target: '#leader',
                actions: ['learn', 'tell'],
                description: 'GHS14',
              },
              { target: '#follower', actions: ['learn', 'tell'], description: 'GHS14' },
            ],
            'change-root': { actions: 'changeRoot', description: 'GHS13' },
            elected: { target: '#follower', actions: ['learn', 'tell'], description: 'GHS15' },
          },
        },
      },
    },
    leader: {
      id: 'leader',
      tags: ['leader', 'decided'],
      on: { elect: { description: 'GHS1: the election is decided' } },
    },
    follower: {
      id: 'follower',
      tags: 'decided',
      on: { elect: { description: 'GHS1: the election is decided' } },
    },
  },
});
